//! Settings that sources give as text: variables and the loader's settings file for layers.

use super::{Config, ConfigProblem, SETTINGS};

/// The setting that says where `tilelint.toml` is: of every source, and no setting by itself.
pub const CONFIG: &str = "config";

/// The key prefix of this layer in `vk_layer_settings.txt`: vendor and name.
const LAYER_KEY: &str = "tilelint_lint.";
/// Variables of this prefix are the layer's own.
const VARIABLE_PREFIX: &str = "TILELINT_";
/// The prefixes by the loader's convention, weakest first: layer, then vendor and layer.
const LOADER_PREFIXES: [&str; 2] = ["VK_LINT_", "VK_TILELINT_LINT_"];
/// Variables of the own prefix that are no settings: the implicit layer's switch, and the null
/// driver's.
const NO_SETTINGS: [&str; 2] = ["DISABLE", "NULL_DRIVER"];
/// Variables of developers of the layer, and of its tests.
const DEVELOPER_PREFIXES: [&str; 2] = ["DEBUG_", "TEST_"];

/// A setting that some source gives as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Its name, as [`Config::set`] knows it.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Where it was given.
    pub origin: String,
}

/// Reads the lines `vendor_layer.setting = value` of `vk_layer_settings.txt`; those of other layers
/// are theirs.
pub fn layer_settings(text: &str, file: &str) -> Vec<Given> {
    let line = |(index, line): (usize, &str)| {
        let (key, value) = line.split('#').next()?.split_once('=')?;
        let name = key.trim().strip_prefix(LAYER_KEY)?;
        Some(Given {
            name: name.to_owned(),
            value: value.trim().to_owned(),
            origin: format!("{file}:{}", index + 1),
        })
    };
    text.lines().enumerate().filter_map(line).collect()
}

/// Picks the settings out of all variables, weakest first. A name of the layer's own prefix that
/// is no setting is kept, so that a slip is told.
pub fn variables(all: &[(String, String)]) -> Vec<Given> {
    let mut given = Vec::new();
    for prefix in LOADER_PREFIXES {
        for name in SETTINGS.iter().map(|info| info.name).chain([CONFIG]) {
            let origin = format!("{prefix}{}", name.to_ascii_uppercase());
            if let Some((_, value)) = all.iter().find(|(variable, _)| *variable == origin) {
                given.push(Given { name: name.to_owned(), value: value.clone(), origin });
            }
        }
    }
    let own = |(variable, value): &(String, String)| {
        let name = variable.strip_prefix(VARIABLE_PREFIX)?;
        let is_developers = DEVELOPER_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        let name = (!NO_SETTINGS.contains(&name) && !is_developers).then_some(name)?;
        let (name, value) = (name.to_ascii_lowercase(), value.clone());
        Some(Given { name, value, origin: variable.clone() })
    };
    let mut own: Vec<Given> = all.iter().filter_map(own).collect();
    own.sort_by(|a, b| a.origin.cmp(&b.origin));
    given.extend(own);
    given
}

impl Config {
    /// Lays given settings over these, in their order; returns what is wrong with some.
    pub fn take_given(&mut self, given: &[Given]) -> Vec<ConfigProblem> {
        let settings = given.iter().filter(|given| given.name != CONFIG);
        settings.filter_map(|one| self.set(&one.name, &one.value, &one.origin).err()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(given: &[Given]) -> Vec<(&str, &str, &str)> {
        given.iter().map(|g| (g.name.as_str(), g.value.as_str(), g.origin.as_str())).collect()
    }

    #[test]
    fn the_file_of_all_layers_has_our_lines() {
        let text = "# all layers\nkhronos_validation.printf = 1\ntilelint_lint.targets = quest2,\
                    quest3 # ours\n tilelint_lint.config=a b.toml\n";
        assert_eq!(
            named(&layer_settings(text, "vk_layer_settings.txt")),
            [
                ("targets", "quest2,quest3", "vk_layer_settings.txt:3"),
                ("config", "a b.toml", "vk_layer_settings.txt:4")
            ]
        );
    }

    #[test]
    fn variables_come_weakest_first_and_slips_are_kept() {
        let all = [
            ("TILELINT_TARGETS", "a"),
            ("VK_TILELINT_LINT_TARGETS", "b"),
            ("VK_LINT_TARGETS", "c"),
            ("TILELINT_TRAGETS", "d"),
            ("TILELINT_DISABLE", "1"),
            ("TILELINT_TEST_CHILD", "x"),
            ("TILELINT", "1"),
            ("HOME", "/"),
        ];
        let all = all.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(
            named(&variables(&all)),
            [
                ("targets", "c", "VK_LINT_TARGETS"),
                ("targets", "b", "VK_TILELINT_LINT_TARGETS"),
                ("targets", "a", "TILELINT_TARGETS"),
                ("tragets", "d", "TILELINT_TRAGETS"),
            ]
        );
    }
}
