//! Which group of commands each intercepted function belongs to: where no rule needs the group, the
//! next layer's own function is handed out.

use tilelint::rule::Needs;

/// Returns the group of a function by its chapter and its field; [`Needs::NONE`] for what is always
/// intercepted.
pub(super) fn group(chapter: &str, field: &str) -> Needs {
    let has = |prefixes: &[&str]| prefixes.iter().any(|prefix| field.starts_with(prefix));
    match chapter {
        "barrier" => Needs::BARRIERS,
        "query" => Needs::QUERIES,
        "state" => Needs::STATE,
        "state_other" => Needs::OTHER_STATE,
        "transfer" => Needs::TRANSFERS,
        "draw" if has(&["cmd_dispatch"]) => Needs::DISPATCHES,
        "draw" => Needs::DRAWS,
        "bind" if has(&["cmd_bind_pipeline", "cmd_bind_shaders"]) => Needs::PIPELINES,
        "bind" if has(&["cmd_bind_index", "cmd_bind_vertex"]) => Needs::VERTICES,
        "bind" if has(&["cmd_push_constants"]) => Needs::PUSHES,
        "bind" if has(&["cmd_begin_conditional", "cmd_end_conditional"]) => Needs::DRAWS,
        "descriptor" if has(&["cmd_"]) => Needs::SETS,
        "descriptor" if has(SET_LIFE) => Needs::DESCRIPTORS,
        "memory" if has(HOST_VIEW) => Needs::HOST,
        "sync" if has(&["get_query_pool_results"]) => Needs::QUERIES,
        "sync" if has(&["reset_fences", "wait_"]) => Needs::WAITS,
        "device" | "queue" if has(&["device_wait_idle", "queue_wait_idle"]) => Needs::WAITS,
        _ => Needs::NONE,
    }
}

/// What makes, writes and ends descriptor sets. Templates are always known, since pushes use them.
const SET_LIFE: &[&str] = &[
    "allocate_descriptor_sets",
    "destroy_descriptor_pool",
    "free_descriptor_sets",
    "reset_descriptor_pool",
    "update_descriptor_set",
];
/// What the host does to memory.
const HOST_VIEW: &[&str] = &["copy_", "get_device_memory", "invalidate_", "map_", "unmap_"];
