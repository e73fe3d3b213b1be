//! The layer.
#![allow(non_snake_case)] // the library must be called libVkLayer_tilelint.so
