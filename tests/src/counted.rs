//! Whose instructions are counted: loads of the benchmark, each in two sizes, so that what happens
//! once does not count.

use crate::layered::Layer;

/// Under what is counted; the first is the floor.
pub const LAYERS: [(&str, Layer); 3] =
    [("empty", Layer::Empty), ("default", Layer::Default), ("all", Layer::All)];

/// What is counted: a load in two sizes, and what of it.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// Of the call.
    pub name: &'static str,
    load: &'static str,
    /// `--units` or `--frames`, and the two sizes.
    varied: (&'static str, [u32; 2]),
    fixed: &'static [&'static str],
    counted: &'static str,
    /// Calls for one of the size.
    per: u32,
    /// Instructions over the empty layer that are the target; nothing where it is a time.
    pub target: Option<i64>,
}

/// A command by itself, by the name that the benchmark has for it.
const fn single(name: &'static str) -> Measure {
    recorded(name, name, Some(60))
}

const fn recorded(name: &'static str, load: &'static str, target: Option<i64>) -> Measure {
    let (varied, fixed) = (("--units", [500, 2_000]), &["--frames", "1"]);
    Measure { name, load, varied, fixed, counted: "record", per: 1, target }
}

/// Everything that is counted. A row more is counted, and `UPDATE=1` writes its reference.
pub const MEASURES: &[Measure] = &[
    recorded("draw", "draws", Some(60)),
    recorded("bind-descriptor-set", "binds", Some(60)),
    recorded("bind-pipeline", "pipelines", Some(60)),
    single("vkCmdDrawIndexed"),
    single("vkCmdDispatch"),
    single("vkCmdBindDescriptorSets-2-dynamic"),
    single("vkCmdBindVertexBuffers"),
    single("vkCmdBindVertexBuffers-2"),
    single("vkCmdBindIndexBuffer"),
    single("vkCmdPushConstants-64"),
    single("vkCmdSetViewport"),
    single("vkCmdSetScissor"),
    recorded("barrier", "barriers", None),
    Measure {
        varied: ("--units", [50, 200]),
        ..recorded("begin-and-end-of-a-pass", "empty", None)
    },
    Measure {
        varied: ("--frames", [4, 20]),
        fixed: &["--units", "120"],
        counted: "submit",
        per: 3,
        ..recorded("submit", "engine", None)
    },
];

impl Measure {
    /// The name of the benchmark, of letters alone.
    pub fn benchmark(&self) -> String {
        self.name.replace('-', "_")
    }

    /// The name of the run in its small or large size, and the arguments of the program.
    pub fn runs(&self, layer: &str) -> [(String, Vec<String>); 2] {
        let (option, sizes) = self.varied;
        sizes.map(|size| {
            let size = size.to_string();
            let mut arguments = vec!["work", self.load, option, &size];
            arguments.extend(["--counted", self.counted].iter().chain(self.fixed));
            let arguments = arguments.into_iter().map(str::to_owned).collect();
            (format!("{layer}_{size}"), arguments)
        })
    }

    /// Instructions of one call, from those of the two runs.
    pub fn of_one(&self, [small, large]: [u64; 2]) -> f64 {
        let (_, sizes) = self.varied;
        (large as f64 - small as f64) / f64::from((sizes[1] - sizes[0]) * self.per)
    }
}
