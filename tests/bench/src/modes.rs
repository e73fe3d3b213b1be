//! What `scripts/bench` can do.

use serde_json::{Value, json};

use crate::arguments::Options;
use crate::configuration::{Configuration, Setup};
use crate::measurement::{Measured, Run, json_of, this};
use crate::table;
use crate::vkcube;
use crate::work::LOADS;

const VKCUBE: Run = Run { load: "vkcube", every_frame: false };
/// Draws of the frames of `--scale`.
const SIZES: [usize; 4] = [12_500, 25_000, 50_000, 100_000];

/// Every load in every configuration, as often as there are rounds.
///
/// # Errors
///
/// If a process fails, or was not what it was to be.
pub fn table(options: &Options) -> Result<(), String> {
    let setup = Setup::new();
    let mut measured = Measured::default();
    let wanted =
        |load: &str| options.only.is_empty() || options.only.iter().any(|name| name == load);
    for name in &options.only {
        if name != VKCUBE.load && !LOADS.iter().any(|(load, ..)| load == name) {
            return Err(format!("no load is called {name:?}"));
        }
    }
    for round in 1..=options.rounds {
        eprintln!("round {round} of {}", options.rounds);
        for (load, ..) in LOADS.iter().filter(|(load, ..)| wanted(load)) {
            for configuration in Configuration::ALL {
                if setup.lacks(configuration).is_some() {
                    continue;
                }
                let run = Run { load, every_frame: false };
                measured.run(&setup, run, configuration, options.seconds)?;
                if *load == "passes" && configuration.is_tilelint() {
                    let run = Run { every_frame: true, ..run };
                    measured.run(&setup, run, configuration, f64::INFINITY)?;
                }
            }
        }
        if wanted(VKCUBE.load) && vkcube::lacks(&setup).is_none() {
            for configuration in Configuration::ALL {
                if setup.lacks(configuration).is_none() {
                    let value = json!({"frame_ns": vkcube::frame_ns(&setup, configuration)?});
                    measured.keep(VKCUBE, configuration, value);
                }
            }
        }
    }
    let lacks = |load: &str, configuration: Configuration| {
        let missing = setup.lacks(configuration);
        let missing = missing.or_else(|| (load == VKCUBE.load).then(|| vkcube::lacks(&setup))?);
        missing.unwrap_or("-").to_owned()
    };
    if options.json {
        println!("{:#}", table::json(&measured, lacks));
    } else {
        table::print(&measured, lacks);
    }
    Ok(())
}

/// The least of several processes for each of four sizes, and how time grows with size.
///
/// # Errors
///
/// If a process fails.
pub fn scale(as_json: bool) -> Result<(), String> {
    let setup = Setup::new();
    let keys = ["objects_ns", "record_ns", "submit_ns", "analysis_ns"];
    let mut rows: Vec<(Configuration, Vec<Value>)> = Vec::new();
    for configuration in [Configuration::None, Configuration::Default, Configuration::AllRules] {
        let mut values = Vec::new();
        for size in SIZES {
            setup.forget();
            let mut command = setup.command(&this(), configuration);
            command.env("TILELINT_EVERY_FRAME", "on");
            command.args(["work", "scale", "--units", &size.to_string()]);
            let value = json_of(&mut command)?;
            setup.check(configuration, value["draw_at"].as_str().unwrap_or_default())?;
            values.push(value);
        }
        rows.push((configuration, values));
    }
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap_or_default();
    let total = |value: &Value| keys.iter().map(|key| number(value, key)).sum::<f64>();
    let exponent = |values: &[Value]| {
        let points = SIZES.iter().zip(values).map(|(size, value)| (*size as f64, total(value)));
        fit(&points.collect::<Vec<_>>())
    };
    if as_json {
        let row = |(configuration, values): &(Configuration, Vec<Value>)| {
            json!({"configuration": configuration.title(), "sizes": values,
                   "exponent": exponent(values)})
        };
        println!("{:#}", Value::Array(rows.iter().map(row).collect()));
        return Ok(());
    }
    println!(
        "| ms | draws | passes | images | descriptors | objects | record | submit | analysis \
              of all frames | peak MiB |"
    );
    println!("|{}", "---|".repeat(10));
    for (configuration, values) in &rows {
        for value in values {
            let counts = ["draws", "passes", "images", "descriptors"].map(|key| &value[key]);
            let counts = counts.map(Value::to_string).join(" | ");
            let times = keys.map(|key| format!("{:.1}", number(value, key) / 1e6)).join(" | ");
            let peak = number(value, "peak_kib") / 1024.0;
            println!("| {} | {counts} | {times} | {peak:.0} |", configuration.title());
        }
    }
    for (configuration, values) in &rows {
        println!(
            "{}: time grows with size to the power of {:.2}",
            configuration.title(),
            exponent(values)
        );
    }
    Ok(())
}

/// The exponent of the power law that fits points best.
fn fit(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<_> = points.iter().map(|(x, y)| (x.ln(), y.ln())).collect();
    let n = logs.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
    let (x0, y0) = (mean(|p| p.0), mean(|p| p.1));
    let above: f64 = logs.iter().map(|(x, y)| (x - x0) * (y - y0)).sum();
    let below: f64 = logs.iter().map(|(x, _)| (x - x0) * (x - x0)).sum();
    above / below
}

/// Object churn under tilelint; the resident memory is said while it runs.
///
/// # Errors
///
/// If the process fails, or was not linted to its end.
pub fn soak(minutes: f64) -> Result<(), String> {
    let setup = Setup::new();
    let mut command = setup.command(&this(), Configuration::Default);
    let seconds = (minutes * 60.0).to_string();
    let frames = u32::MAX.to_string();
    command.args(["work", "churn", "--seconds", &seconds, "--frames", &frames]);
    let status = command.status().map_err(|error| error.to_string())?;
    if !status.success() {
        return Err(format!("the program ended with {status}"));
    }
    let report = setup.report();
    let linting = report["devices"][0]["linting"].as_str().unwrap_or("no report was written");
    println!(
        "{} frames analysed, {} left out",
        report["frames"]["seen"], report["run"]["frames_not_analysed"]
    );
    if linting == "on" { Ok(()) } else { Err(linting.to_owned()) }
}
