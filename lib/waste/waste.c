/* SPDX-License-Identifier: MIT */
/*
 * waste.c - the end of what the search for waste keeps.
 */
#include "base/mem.h"
#include "waste/notes.h"

void hp_waste_drop_work(struct hp_waste *w)
{
	hp_waste_beside_leave(w);
	hp_holders_done(w);
	hp_edges_done(&w->again, &w->own_edges);
	hp_mapped_tables_release(&w->again.tables);
	for (unsigned i = 0; i < w->thread_count; i++)
		hp_notes_close(&w->threads[i]);
	hp_free(w->threads);
	hp_mapped_table_free(&w->tables, &w->notes.field);
	hp_mapped_table_free(&w->tables, &w->contents);
	hp_mapped_table_free(&w->tables, &w->content_bits.table);
	hp_mapped_table_free(&w->tables, &w->referrers.step_table);
	hp_mapped_table_free(&w->tables, &w->referrers.several_table);
	hp_mapped_table_free(&w->tables, &w->referrers.field_table);
	hp_mapped_table_free(&w->tables, &w->referrers.number_table);
	hp_mapped_table_free(&w->tables, &w->referrers.row_table);
	hp_mapped_table_free(&w->tables, &w->asked_table);
	hp_mapped_table_free(&w->tables, &w->claimed_table);
	hp_mapped_table_free(&w->tables, &w->stores_table);
	hp_mapped_table_free(&w->tables, &w->row_places);
	hp_mapped_table_free(&w->tables, &w->seen_places);
	HP_WASTE_DROP(w, &w->rows);
	HP_WASTE_DROP(w, &w->seen);
	HP_WASTE_DROP(w, &w->tails);
	HP_WASTE_DROP(w, &w->thin);
	HP_WASTE_DROP(w, &w->halves);
	HP_WASTE_DROP(w, &w->narrow);
	HP_WASTE_DROP(w, &w->offers);
	HP_WASTE_DROP(w, &w->sharers);
	HP_WASTE_DROP(w, &w->wide);
	HP_WASTE_DROP(w, &w->empties);
	hp_mapped_tables_release(&w->tables);
	hp_sums_done(w);
	hp_waste_classes_done(w);
	hprof_cursor_free(w->cursor);
	pthread_mutex_destroy(&w->lock);
}

void hp_waste_free(struct hp_waste *w)
{
	hp_waste_drop_work(w);
	hp_arena_done(&w->arena);
	hp_free(w);
}
