//! Which commands are intercepted: read off tilelint's own table, so that the two never part.

use std::collections::HashMap;
use std::sync::LazyLock;

static TABLE: &str = include_str!("../../../layer/tilelint-layer/src/ffi/table/device.rs");

/// The names of the device commands in the table, each with a place of its own.
static INDEX: LazyLock<HashMap<&[u8], usize>> = LazyLock::new(|| {
    let device = TABLE.split("struct DeviceTable").nth(1).unwrap_or_default();
    let intercepted = device.split("\n    called {").next().unwrap_or_default();
    let quoted = intercepted.match_indices("c\"vk").filter_map(|(at, _)| {
        let name = &intercepted[at + 2..];
        name.get(..name.find('"')?)
    });
    let own = ["vkGetDeviceProcAddr", "vkCreateDevice"];
    let names = quoted.filter(|name| !own.contains(name));
    names.enumerate().map(|(index, name)| (name.as_bytes(), index)).collect()
});

/// The place of a command, or nothing if it is not intercepted.
pub fn index(name: &[u8]) -> Option<usize> {
    INDEX.get(name).copied()
}
