//! Traffic against the budgets of the settings.

use super::figures::human_bytes;
use super::schema::Report;
use crate::config::Config;

/// Says of each target whose budget the median frame exceeds by how much it does.
pub fn over_budget(report: &Report, config: &Config) -> Vec<String> {
    let traffic = &report.traffic;
    let bytes = traffic.load_bytes.unwrap_or(0) + traffic.store_bytes.unwrap_or(0);
    let mut told = Vec::new();
    for profile in config.profiles() {
        let of = |name: &str| config.budgets.iter().find(|budget| budget.target == name);
        let Some(budget) = of(&profile.name).or_else(|| of("all")) else { continue };
        if bytes <= budget.frame_bytes(&profile) {
            continue;
        }
        let (asked, unit) = if budget.per_second {
            (bytes.saturating_mul(profile.refresh_hz().into()), "s")
        } else {
            (bytes, "frame")
        };
        told.push(format!(
            "{}: {}/{unit} is asked for, the budget is {}/{unit} ({})",
            profile.name,
            human_bytes(asked),
            human_bytes(budget.bytes),
            budget.origin
        ));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Traffic;

    #[test]
    fn a_target_has_its_own_budget_or_that_of_all() {
        let mut config = Config::new();
        config.set("targets", "quest2,mali-g78", "x").expect("is right");
        let budgets = "quest2=1GB/s,all=13MB/frame";
        config.set("budgets", budgets, "TILELINT_BUDGETS").expect("is right");
        let report = |load, store| Report {
            traffic: Traffic {
                load_bytes: Some(load),
                store_bytes: Some(store),
                ..Traffic::default()
            },
            ..Report::default()
        };
        assert_eq!(over_budget(&report(0, 13_000_000), &config), Vec::<String>::new());
        assert_eq!(
            over_budget(&report(7_000_000, 7_000_000), &config),
            [
                "quest2: 1.0 GB/s is asked for, the budget is 1.0 GB/s (TILELINT_BUDGETS)",
                "mali-g78: 14.0 MB/frame is asked for, the budget is 13.0 MB/frame \
                 (TILELINT_BUDGETS)"
            ]
        );
    }
}
