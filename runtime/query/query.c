/* Options of queries of one mesh, and the call of a caller's filter. It runs in the caller's
 * own floating-point environment, which is why it is out of line: no arithmetic moves across
 * the change. */
#include "query.h"

#include "../../formats/assert.h"
#include "../base/options.h"

#include <string.h>

kiln_query_options kiln_query_options_default(void)
{
    kiln_query_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    return options;
}

kiln_query_options kiln_query_options_of(const kiln_query_options *options)
{
    kiln_query_options full = kiln_query_options_default();
    kiln_options_take(&full, sizeof full, options);
    return full;
}

bool kiln_mesh_filter_call(kiln_mesh_filter *filter, const kiln_tree *tree, uint32_t triangle)
{
    KILN_ASSERT(filter->call != NULL);
    kiln_fpu_leave(filter->caller);
    const bool keeps = filter->call(filter->user, triangle, kiln_tree_user(tree, triangle));
    filter->caller = kiln_fpu_enter();
    return keeps;
}
