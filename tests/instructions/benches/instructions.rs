//! Instructions of each intercepted call, counted by valgrind: under a layer that only forwards
//! and under tilelint. `tests/tests/cost/instructions.rs` compares them.

use std::ffi::{OsStr, OsString};
use std::sync::OnceLock;

use tilelint_tests::counted::{LAYERS, MEASURES};
use tilelint_tests::harness::TempDir;
use tilelint_tests::layered::{self, Layer};

/// Where the loader finds the driver and the layers.
static FOLDER: OnceLock<TempDir> = OnceLock::new();

type Variables = Vec<(OsString, OsString)>;

/// The variables under which the program sees a layer. gungraun removes all others.
fn variables(layer: Layer) -> Variables {
    let folder = FOLDER.get_or_init(TempDir::new);
    let command = layered::command(layered::program(), layer, folder);
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    set.map(|(name, value): (&OsStr, &OsStr)| (name.to_owned(), value.to_owned())).collect()
}

mod benches {
    use gungraun::{
        Bench, BinaryBenchmark, BinaryBenchmarkConfig, BinaryBenchmarkGroup, Callgrind, Command,
        EntryPoint, Sandbox, binary_benchmark_group, main,
    };

    use super::{LAYERS, MEASURES, layered, variables};

    fn calls_of(group: &mut BinaryBenchmarkGroup) {
        let layers = LAYERS.map(|(name, layer)| (name, variables(layer)));
        for measure in MEASURES {
            let mut benchmark = BinaryBenchmark::new(measure.benchmark());
            for (layer, variables) in &layers {
                for (run, arguments) in measure.runs(layer) {
                    let mut command = Command::new(layered::program());
                    command.args(arguments).envs(variables.iter().cloned());
                    benchmark.bench(Bench::new(run).command(command));
                }
            }
            group.binary_benchmark(benchmark);
        }
    }

    /// Counts the function that is there to be counted; its report is left in a sandbox.
    fn config() -> BinaryBenchmarkConfig {
        let mut counter = Callgrind::with_args(["--cache-sim=no"]);
        counter.entry_point(EntryPoint::Custom("*measure::counted*".to_owned()));
        let mut config = BinaryBenchmarkConfig::default();
        config.tool(counter).sandbox(Sandbox::new(true));
        config
    }

    binary_benchmark_group!(name = calls; benchmarks = |group| calls_of(group));
    main!(config = config(); binary_benchmark_groups = calls);

    pub fn run() {
        main();
    }
}

fn main() {
    benches::run();
    // A static is never dropped.
    if let Some(folder) = FOLDER.get() {
        let _ = std::fs::remove_dir_all(folder.path());
    }
}
