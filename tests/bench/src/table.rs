//! The table: a row for each number, a column for each configuration, and ratios.

use serde_json::{Value, json};

use crate::configuration::Configuration;
use crate::measurement::{Cell, Measured, Run};
use crate::modes::VKCUBE;

/// A row: what is measured, in which run, under which key, in which unit.
struct Row {
    name: &'static str,
    run: Run,
    key: &'static str,
    unit: &'static str,
    per: f64,
}

const fn row(name: &'static str, load: &'static str, key: &'static str) -> Row {
    Row { name, run: Run { load, every_frame: false }, key, unit: "ns", per: 1.0 }
}

const fn us(row: Row) -> Row {
    Row { unit: "us", per: 1e3, ..row }
}

const fn mib(row: Row) -> Row {
    Row { unit: "MiB", per: 1024.0, ..row }
}

const ROWS: [Row; 21] = [
    row("draw, of 20,000 in a pass", "draws", "unit_ns"),
    us(row("their submit", "draws", "submit_ns")),
    us(row("their frame", "draws", "frame_ns")),
    mib(row("peak memory", "draws", "peak_kib")),
    row("bind of a descriptor set", "binds", "unit_ns"),
    row("bind of a pipeline", "pipelines", "unit_ns"),
    row("bind of a vertex buffer", "vkCmdBindVertexBuffers", "unit_ns"),
    row("bind of an index buffer", "vkCmdBindIndexBuffer", "unit_ns"),
    row("push constants of 64 bytes", "vkCmdPushConstants-64", "unit_ns"),
    row("dynamic state: a viewport", "vkCmdSetViewport", "unit_ns"),
    row("pass of 20 draws, of 200", "passes", "unit_ns"),
    us(row("their submit", "passes", "submit_ns")),
    us(Row {
        run: Run { load: "passes", every_frame: true },
        ..row("their analysis, own thread", "passes", "analysis_ns")
    }),
    row("pipeline barrier, of 2,000", "barriers", "unit_ns"),
    row("begin and end of a pass", "empty", "unit_ns"),
    row("draw, of 5,000 of one thread", "threads", "alone_ns"),
    row("the same while four record", "threads", "unit_ns"),
    us(row("engine frame, calling thread", "engine", "frame_ns")),
    us(row("a submit of it, of 3", "engine", "submit_ns")),
    mib(row("peak memory", "engine", "peak_kib")),
    Row { unit: "ms", per: 1e6, ..row("frame of vkcube, rasterised", "vkcube", "frame_ns") },
];

/// The loads that have rows, in order, without programs of others.
pub fn loads() -> Vec<&'static str> {
    let mut loads: Vec<_> = ROWS.iter().map(|row| row.run.load).collect();
    loads.retain(|load| *load != VKCUBE.load);
    loads.dedup();
    loads
}

/// A number with three digits.
fn digits(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

fn shown(cell: Cell, floor: Option<Cell>) -> String {
    let both = format!("{} / {}", digits(cell.min), digits(cell.median));
    match floor {
        Some(floor) if floor.min > 0.0 => format!("{both} ({}x)", digits(cell.min / floor.min)),
        _ => both,
    }
}

/// Prints the table in Markdown; `lacks` says why a configuration has no numbers.
pub fn print(measured: &Measured, lacks: impl Fn(&str, Configuration) -> String) {
    let titles: Vec<_> = Configuration::ALL.iter().map(|c| c.title()).collect();
    println!("| min / median (of no layer) | unit | {} |", titles.join(" | "));
    println!("|---|---|{}", "---|".repeat(titles.len()));
    for row in ROWS.iter().filter(|row| measured.has(row.run)) {
        let floor = measured.cell(row.run, Configuration::None, row.key, row.per);
        let cells = Configuration::ALL.map(|configuration| {
            let cell = measured.cell(row.run, configuration, row.key, row.per);
            let first = configuration == Configuration::None;
            match cell {
                Some(cell) => shown(cell, floor.filter(|_| !first)),
                None => lacks(row.run.load, configuration),
            }
        });
        println!("| {} | {} | {} |", row.name, row.unit, cells.join(" | "));
    }
}

/// The rows as JSON, with the processes' own results.
pub fn json(measured: &Measured, lacks: impl Fn(&str, Configuration) -> String) -> Value {
    let rows = ROWS.iter().filter(|row| measured.has(row.run)).map(|row| {
        let cells = Configuration::ALL.map(|configuration| {
            let cell = measured.cell(row.run, configuration, row.key, row.per);
            let cell = match cell {
                Some(cell) => json!({"min": cell.min, "median": cell.median}),
                None => json!(lacks(row.run.load, configuration)),
            };
            (configuration.title().to_owned(), cell)
        });
        let cells = serde_json::Map::from_iter(cells);
        json!({"name": row.name, "load": row.run.load, "unit": row.unit, "cells": cells})
    });
    json!({"rows": rows.collect::<Vec<_>>(), "processes": measured.json()})
}
