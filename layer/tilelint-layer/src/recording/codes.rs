//! How much code of shaders is held for what is alive.

use rustc_hash::FxHashSet;
use std::sync::Arc;
use tilelint::call::{Call, Entry};

/// Bytes of code that are held at most; shaders that come later are recorded without theirs.
pub(super) const CODE_LIMIT: usize = 64 << 20;

/// Code that is held, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldCode {
    addresses: FxHashSet<usize>,
    bytes: usize,
    /// Some shader is without its code.
    pub(super) is_cut: bool,
}

impl HeldCode {
    /// Holds the code of a shader; `false` where it is too much.
    pub(super) fn hold(&mut self, entry: &Entry) -> bool {
        let Some(code) = code(entry) else { return true };
        let address = code.as_ptr().addr();
        let bytes = self.bytes + size_of_val(&**code);
        if self.addresses.contains(&address) {
            return true;
        }
        if bytes > CODE_LIMIT {
            return false;
        }
        self.addresses.insert(address);
        self.bytes = bytes;
        true
    }

    /// Holds what these entries need, and nothing else.
    pub(super) fn hold_only<'a>(&mut self, entries: impl Iterator<Item = &'a Entry>) {
        *self = Self { is_cut: self.is_cut, ..Self::default() };
        for entry in entries {
            self.hold(entry);
        }
    }
}

/// The code of a shader.
fn code(entry: &Entry) -> Option<&Arc<[u32]>> {
    match &entry.call {
        Call::Shader(_, info) => info.code.as_ref(),
        _ => None,
    }
}

/// The same shader, of which only that it was made is known.
pub(super) fn without_code(entry: &Entry) -> Entry {
    let mut entry = entry.clone();
    if let Call::Shader(_, info) = &mut entry.call {
        info.code = None;
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recording::base::Base;
    use tilelint::call::{DeviceKey, Kind, Object, ShaderInfo, ShaderKey};

    const SIZE: usize = CODE_LIMIT / 4 / size_of::<u32>();

    fn shader(key: u64, code: &Arc<[u32]>) -> Arc<Entry> {
        let info = ShaderInfo {
            stage: ash::vk::ShaderStageFlags::FRAGMENT,
            entry: "main".into(),
            file: "".into(),
            code: Some(Arc::clone(code)),
        };
        let call = Call::Shader(ShaderKey(key), Box::new(info));
        Arc::new(Entry::new(DeviceKey(1), call))
    }

    fn destroy(key: u64) -> Arc<Entry> {
        let object = Object { kind: Kind::Shader, key };
        Arc::new(Entry::new(DeviceKey(1), Call::Destroy(object)))
    }

    /// Which of the shaders that a base declares have their code.
    fn with_code(base: &Base) -> Vec<bool> {
        base.declared().entries.iter().map(|entry| code(entry).is_some()).collect()
    }

    #[test]
    fn only_so_much_code_is_held_and_equal_code_once() {
        let codes: Vec<Arc<[u32]>> = (0..5).map(|n| vec![n; SIZE].into()).collect();
        let mut base = Base::default();
        for (key, code) in codes.iter().enumerate() {
            base.fold(&shader(key as u64, code));
        }
        assert_eq!(with_code(&base), [true, true, true, true, false]);
        // It is held already.
        base.fold(&shader(9, &codes[0]));
        assert_eq!(with_code(&base), [true, true, true, true, false, true]);
        // What is gone makes room.
        base.fold(&destroy(1));
        base.fold(&shader(10, &codes[4]));
        assert_eq!(with_code(&base), [true, true, true, false, true, true]);
    }
}
