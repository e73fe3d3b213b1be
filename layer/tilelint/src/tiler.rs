//! The arithmetic of a tiler: bins, tile-mode verdicts, merging, the sequence of loads and stores.
//! Pure functions of a [`PassShape`] and a [`Profile`](crate::profile::Profile).

pub mod bins;
pub mod budget;
pub mod fixed;
pub mod forecast;
pub mod merge;
pub mod of_pass;
pub mod ops;
pub mod planes;
pub mod shape;
pub mod spec;
pub mod surface;
pub mod traffic;
pub mod verdict;

pub use forecast::{Forecast, Foveation, Mode, Model, Options, Stage, forecast, forecast_with};
pub use merge::{MergeStatus, SubpassMerge};
pub use of_pass::shape_of;
pub use ops::Op;
pub use planes::Layout;
pub use shape::{Area, Attachment, Barrier, Dependency, PassShape, Subpass};
pub use verdict::Reason;
