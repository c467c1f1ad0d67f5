#include "roofline/roofline_report.h"

#include "torre/status.h"

void torre_report_machine(torre_report *at, const torre_machine *m)
{
    torre_report_text(at, "backend", m->backend);
    torre_report_text(at, "device", m->device);
    torre_report_text(at, "uuid", m->uuid[0] ? m->uuid : NULL);
    torre_report_text(at, "detail", m->detail);
    torre_report_integer(at, "threads", m->threads);
    torre_report_real(at, "clock_ghz", m->clock_ghz);
    torre_report_integers(at, "cache_bytes", m->cache + 1, 3);
    torre_report *list = torre_report_array(at, "ceilings");
    for (int id = 0; id < TORRE_CEILING_COUNT; id++) {
        const torre_ceiling *c = &m->ceiling[id];
        if (!c->repetitions) continue;
        torre_report *one = torre_report_object(list, NULL);
        torre_report_text(one, "name", torre_ceiling_name((torre_ceiling_id)id));
        torre_report_text(one, "title", torre_ceiling_title((torre_ceiling_id)id));
        torre_report_text(one, "unit", torre_ceiling_unit((torre_ceiling_id)id));
        torre_report_real(one, "median", c->median);
        torre_report_real(one, "lowest", c->low);
        torre_report_real(one, "highest", c->high);
        torre_report_integer(one, "repetitions", c->repetitions);
    }
}

void torre_report_sweep_point(torre_report *list, const torre_sweep_point *p)
{
    torre_report *at = torre_report_object(list, NULL);
    torre_report_integer(at, "order", p->order);
    torre_report_text(at, "engine", torre_engine_name(p->plan.engine));
    torre_report_integer(at, "dts", p->plan.dts);
    torre_report_integer(at, "tower_height", p->plan.tower_height);
    torre_report_text(at, "ordering", torre_ordering_write(&p->plan.ordering).text);
    torre_report_text(at, "state", torre_point_state_name(p->state));
    if (p->remark[0]) torre_report_text(at, "remark", p->remark);
    torre_report_real(at, "check_difference", p->check_difference);
    torre_report_real(at, "check_allowed", p->check_allowed);
    if (p->same_bits >= 0) torre_report_bool(at, "same_bits_as_stepwise", p->same_bits);
    if (p->state != TORRE_POINT_TIMED) return;
    torre_report_real(at, "gcells_per_s", p->gcells_per_s);
    torre_report_real(at, "lowest", p->low);
    torre_report_real(at, "highest", p->high);
    torre_report_integer(at, "repetitions", p->repetitions);
    torre_report_integer(at, "steps", p->steps);
    torre_report_real(at, "seconds", p->seconds);
    torre_report_real(at, "modelled_bytes_per_update", p->bound.bytes_per_update);
    if (p->measured_bytes > 0)
        torre_report_real(at, "measured_bytes_per_update", p->measured_bytes);
    torre_report_real(at, "operations_per_update", torre_model_operations(p->order));
    torre_report_real(at, "operations_per_byte", p->bound.operations_per_byte);
    torre_report_text(at, "governing_ceiling", torre_ceiling_name(p->bound.ceiling));
    torre_report_real(at, "bound_gcells_per_s", p->bound.gcells_per_s);
    torre_report_real(at, "fraction", p->fraction);
}

void torre_report_sweep(torre_report *report, const torre_sweep_setting *s,
                        const torre_sweep_results *found, bool tuned)
{
    torre_report_integers(report, "size", s->size, 3);
    torre_report_text(report, "precision", s->precision == TORRE_F32 ? "f32" : "f64");
    torre_report_integer(report, "points_planned", found->planned);
    torre_report *list = torre_report_array(report, "points");
    for (int i = 0; i < found->count; i++) torre_report_sweep_point(list, &found->points[i]);
    torre_report_bool(report, "tuned", tuned);
}

void torre_report_md_point(torre_report *list, const torre_md_point *p)
{
    torre_report *at = torre_report_object(list, NULL);
    torre_report_text(at, "neighbor", torre_neighbor_name(p->plan.neighbor));
    torre_report_text(at, "ordering", torre_md_point_ordering(p).text);
    torre_report_text(at, "state", torre_point_state_name(p->state));
    if (p->remark[0]) torre_report_text(at, "remark", p->remark);
    torre_report_real(at, "check_difference", p->check_difference);
    if (p->state != TORRE_POINT_TIMED) return;
    torre_report_real(at, "matom_steps_per_s", p->matom_steps_per_s);
    torre_report_real(at, "lowest", p->low);
    torre_report_real(at, "highest", p->high);
    torre_report_integer(at, "repetitions", p->repetitions);
    torre_report_integer(at, "steps", p->steps);
    torre_report_real(at, "neighbors", p->neighbors);
    torre_report_real(at, "operations_per_atom_step", p->operations_per_step);
    torre_report_real(at, "modelled_bytes_per_atom_step", p->bytes_per_step);
    torre_report_text(at, "governing_ceiling", torre_ceiling_name(p->ceiling));
    torre_report_real(at, "bound", p->bound);
    torre_report_real(at, "fraction", torre_md_point_fraction(p));
}

static void report_checks(torre_report *report, const torre_diagnosis *d)
{
    torre_report *list = torre_report_array(report, "checks");
    for (int i = 0; i < d->checks; i++) {
        const torre_doctor_check *c = &d->check[i];
        torre_report *at = torre_report_object(list, NULL);
        torre_report_text(at, "backend", c->backend);
        torre_report_text(at, "engine", torre_engine_name(c->engine));
        torre_report_integer(at, "order", c->order);
        torre_report_text(at, "precision", c->precision == TORRE_F32 ? "f32" : "f64");
        torre_report_bool(at, "offered", c->offered);
        torre_report_bool(at, "passed", c->passed);
        torre_report_real(at, "difference", c->difference);
        torre_report_real(at, "allowed", c->allowed);
        torre_report_text(at, "text", c->text);
    }
}

static void report_rates(torre_report *report, const torre_diagnosis *d)
{
    torre_report *list = torre_report_array(report, "rates");
    for (int b = 0; b < TORRE_DOCTOR_BACKENDS; b++) {
        const torre_doctor_rates *r = &d->rates[b];
        if (!r->backend[0]) continue;
        torre_report *at = torre_report_object(list, NULL);
        torre_report_text(at, "backend", r->backend);
        torre_report_integers(at, "size", r->size, 3);
        torre_report_text(at, "precision", r->precision == TORRE_F32 ? "f32" : "f64");
        torre_report_text(at, "missing", r->missing[0] ? r->missing : NULL);
        torre_report *points = torre_report_array(at, "points");
        for (int i = 0; i < r->count; i++) torre_report_sweep_point(points, &r->point[i]);
    }
}

static void report_advice(torre_report *report, const torre_diagnosis *d)
{
    torre_report *list = torre_report_array(report, "advice");
    for (int i = 0; i < d->advices; i++) {
        torre_report *at = torre_report_object(list, NULL);
        torre_report_text(at, "for", d->advice[i].faster ? "speed" : "more");
        torre_report_text(at, "about", d->advice[i].about);
        torre_report_text(at, "text", d->advice[i].text);
    }
}

void torre_report_diagnosis(torre_report *report, const torre_diagnosis *d)
{
    const torre_cuda_probe *c = &d->cuda;
    torre_report_text(report, "build", torre_build_text());
    torre_report *cpu = torre_report_object(report, "cpu");
    torre_report_text(cpu, "device", d->cpu);
    torre_report_integers(cpu, "cache_bytes", d->cache + 1, 3);
    torre_report_integer(cpu, "memory_available_bytes", d->memory_available);
    torre_report *cuda = torre_report_object(report, "cuda");
    torre_report_text(cuda, "state", torre_cuda_state_name(c->state));
    torre_report_text(cuda, "text", c->text);
    torre_report_text(cuda, "device", c->name[0] ? c->name : NULL);
    torre_report_text(cuda, "uuid", c->uuid[0] ? c->uuid : NULL);
    torre_report_integer(cuda, "devices", c->devices);
    torre_report_integer(cuda, "compute_capability", c->capability);
    torre_report_integer(cuda, "memory_free_bytes", c->free_bytes);
    torre_report_bool(cuda, "wave", d->wave_cuda);
    torre_report_text(cuda, "nccl", d->nccl ? d->nccl_text : NULL);
    report_checks(report, d);
    report_rates(report, d);
    report_advice(report, d);
    torre_report_bool(report, "sound", d->sound);
}
