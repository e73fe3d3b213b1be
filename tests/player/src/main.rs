//! The program: `tilelint-player FILE.calls`.
fn main() {}
