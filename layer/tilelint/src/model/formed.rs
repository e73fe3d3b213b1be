//! Shapes of passes, kept by framebuffer: most passes come again as they were, and making a shape
//! takes longer than most else about a pass.

use std::sync::Arc;

use ash::vk;

use super::device::DeviceModel;
use super::keys::Keys;
use super::objects::{Image, RenderPass, View};
use super::pass::PassShape;
use super::pass_form::{self, Shown};
use crate::call::*;

/// A shape, and all that it was made from.
#[derive(Clone, Debug)]
pub struct Formed {
    render_pass: Arc<RenderPassInfo>,
    name: Option<Arc<str>>,
    area: vk::Rect2D,
    shown: Vec<Option<(View, Arc<Image>)>>,
    shape: Arc<PassShape>,
    keyed: Option<Keyed>,
}

/// The given name, and what follows from it and the shape.
#[derive(Clone, Debug)]
struct Keyed {
    given: Option<Arc<str>>,
    key: u64,
    variant: u64,
}

impl Formed {
    /// The shape, where it would be made from the same.
    fn same(
        &self,
        render_pass: &RenderPass,
        area: vk::Rect2D,
        shown: impl Fn(usize) -> Option<Shown>,
    ) -> bool {
        let is_shown =
            |(index, known): (usize, &Option<(View, Arc<Image>)>)| match (known, shown(index)) {
                (Some((view, image)), Some(now)) => {
                    *view == now.view && Arc::ptr_eq(image, &now.image)
                }
                (None, None) => true,
                _ => false,
            };
        Arc::ptr_eq(&self.render_pass, &render_pass.info)
            && self.area == area
            && self.name == given(render_pass)
            && self.shown.iter().enumerate().all(is_shown)
    }

    /// The key and the variant of the shape under a given name.
    pub fn key(&mut self, keys: &mut Keys, given: Option<&Arc<str>>) -> (u64, u64) {
        if let Some(known) = self.keyed.as_ref().filter(|known| known.given.as_ref() == given) {
            return (known.key, known.variant);
        }
        let key = keys.of(&self.shape, given);
        let variant = self.shape.variant(key);
        self.keyed = Some(Keyed { given: given.cloned(), key, variant });
        (key, variant)
    }
}

fn given(render_pass: &RenderPass) -> Option<Arc<str>> {
    render_pass.name.given.then(|| Arc::clone(&render_pass.name.text))
}

impl DeviceModel {
    fn shown(&self, key: ViewKey) -> Option<Shown> {
        let view = *self.views.get(key.0)?;
        let image = Arc::clone(&self.contents.images.get(&view.image)?.image);
        Some(Shown { image, view })
    }

    /// The shape of a pass; `None` where its objects are not known.
    pub(super) fn shape(&mut self, begin: &PassBegin) -> Option<Arc<PassShape>> {
        let (render_pass, framebuffer, views_bound) = match &begin.target {
            PassTarget::Object { render_pass, framebuffer, views_bound } => {
                (render_pass, framebuffer, views_bound)
            }
            PassTarget::Dynamic(rendering) => {
                let shape = pass_form::from_rendering(rendering, begin.area, |key| self.shown(key));
                return Some(Arc::new(shape));
            }
        };
        let render_pass = self.render_passes.get(render_pass.0)?;
        let held = self.framebuffers.get(framebuffer.0)?;
        let views = views_bound.as_ref().unwrap_or(&held.info.views);
        let shown =
            |index: usize| views.get(index).copied().flatten().and_then(|key| self.shown(key));
        if let Some(formed) = &held.formed
            && begin.attach_lines.is_empty()
            && formed.same(render_pass, begin.area, shown)
        {
            return Some(Arc::clone(&formed.shape));
        }
        let name = given(render_pass);
        let lines = &begin.attach_lines;
        let info = &render_pass.info;
        let shape =
            pass_form::from_object(info, name.clone(), &held.info, begin.area, lines, shown);
        let shape = Arc::new(shape);
        if lines.is_empty() {
            let of = |index| shown(index).map(|shown| (shown.view, shown.image));
            let formed = Formed {
                render_pass: Arc::clone(info),
                name,
                area: begin.area,
                shown: (0..info.attachments.len()).map(of).collect(),
                shape: Arc::clone(&shape),
                keyed: None,
            };
            if let Some(held) = self.framebuffers.get_mut(framebuffer.0) {
                held.formed = Some(Box::new(formed));
            }
        }
        Some(shape)
    }

    /// The key of a pass, and its variant.
    pub(super) fn key_of(
        &mut self,
        begin: &PassBegin,
        shape: &Arc<PassShape>,
        given: Option<&Arc<str>>,
    ) -> (u64, u64) {
        if let PassTarget::Object { framebuffer, .. } = &begin.target
            && let Some(held) = self.framebuffers.get_mut(framebuffer.0)
            && let Some(formed) = held.formed.as_mut().filter(|f| Arc::ptr_eq(&f.shape, shape))
        {
            return formed.key(&mut self.keys, given);
        }
        let key = self.keys.of(shape, given);
        (key, shape.variant(key))
    }
}
