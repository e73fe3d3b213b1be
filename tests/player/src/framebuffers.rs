//! Framebuffers, imageless ones among them.

use ash::vk;
use tilelint::call::*;

use crate::error::Done;
use crate::gpu::api;
use crate::player::Player;

/// What an imageless framebuffer says of one attachment.
struct Said {
    flags: vk::ImageCreateFlags,
    usage: vk::ImageUsageFlags,
    extent: vk::Extent2D,
    layers: u32,
    formats: Vec<vk::Format>,
}

impl Player<'_> {
    /// `vkCreateFramebuffer`.
    pub(crate) fn framebuffer(
        &mut self,
        key: FramebufferKey,
        info: &FramebufferInfo,
        name: Option<&str>,
    ) -> Done {
        let pass = self.objects.render_passes.get(&info.render_pass).map(|r| r.0);
        let pass = self.found("render pass", pass)?;
        let mut views = Vec::new();
        for view in &info.views {
            let Some(view) = view else {
                return self.bad("a framebuffer that is not imageless needs all its views");
            };
            let view = self.objects.views.get(view).map(|v| v.0);
            views.push(self.found("view", view)?);
        }
        let said = match &info.imageless {
            Some(list) => self.said(key, info, list),
            None => Vec::new(),
        };
        let images: Vec<_> = said
            .iter()
            .map(|s| {
                vk::FramebufferAttachmentImageInfo::default()
                    .flags(s.flags)
                    .usage(s.usage)
                    .width(s.extent.width)
                    .height(s.extent.height)
                    .layer_count(s.layers)
                    .view_formats(&s.formats)
            })
            .collect();
        let mut images =
            vk::FramebufferAttachmentsCreateInfo::default().attachment_image_infos(&images);
        let mut create = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .width(info.extent.width)
            .height(info.extent.height)
            .layers(info.layers);
        if info.imageless.is_some() {
            create = create.flags(vk::FramebufferCreateFlags::IMAGELESS).push_next(&mut images);
            create.attachment_count = said.len() as u32;
        } else {
            create = create.attachments(&views);
        }
        let handle = api!(self.gpu.device.create_framebuffer(&create, None));
        let handle = handle.map_err(self.failed("vkCreateFramebuffer"))?;
        self.objects.framebuffers.insert(key, (handle, info.clone()));
        self.name(handle, name)
    }

    /// The views that the first pass with this framebuffer binds.
    fn first_bound(&self, key: FramebufferKey) -> Vec<Option<ViewKey>> {
        for entry in self.entries.iter().filter(|e| e.device == self.key) {
            let Call::Commands(_, recording) = &entry.call else { continue };
            for command in &recording.commands {
                if let Command::BeginPass(begin) = command
                    && let PassTarget::Object { framebuffer, views_bound: Some(views), .. } =
                        &begin.target
                    && *framebuffer == key
                {
                    return views.clone();
                }
            }
        }
        Vec::new()
    }

    /// What is said of each attachment: by the listing, else what the images are.
    fn said(
        &self,
        key: FramebufferKey,
        info: &FramebufferInfo,
        list: &[FramebufferAttachment],
    ) -> Vec<Said> {
        let bound = self.first_bound(key);
        let each = list.iter().enumerate().map(|(index, said)| {
            let view = bound.get(index).copied().flatten();
            let view = view.and_then(|view| self.view_info(view));
            let image = view.and_then(|view| self.image_info(view.image));
            let mut out = Said {
                flags: vk::ImageCreateFlags::empty(),
                usage: said.usage,
                extent: info.extent,
                layers: info.layers,
                formats: said.formats.clone(),
            };
            if let (Some(view), Some(image)) = (view, image) {
                let at = |n: u32| n.checked_shr(view.base_mip).unwrap_or(0).max(1);
                out.flags = image.flags;
                out.extent =
                    vk::Extent2D { width: at(image.extent.width), height: at(image.extent.height) };
                out.layers = match view.layers {
                    vk::REMAINING_ARRAY_LAYERS => image.layers - view.base_layer,
                    layers => layers,
                };
                if out.usage.is_empty() {
                    out.usage = image.usage;
                }
                if out.formats.is_empty() {
                    out.formats = match view.format {
                        vk::Format::UNDEFINED => vec![image.format],
                        format => vec![format],
                    };
                }
            }
            out
        });
        each.collect()
    }

    /// What is known of a view: one that exists, else one that the listing makes later.
    pub(crate) fn view_info(&self, key: ViewKey) -> Option<ViewInfo> {
        let alive = self.objects.views.get(&key).map(|(_, info)| *info);
        alive.or_else(|| {
            self.entries.iter().filter(|e| e.device == self.key).find_map(|e| match &e.call {
                Call::View(made, info) if *made == key => Some(*info),
                _ => None,
            })
        })
    }

    /// What is known of an image: one that exists, else one that the listing makes later.
    pub(crate) fn image_info(&self, key: ImageKey) -> Option<ImageInfo> {
        let alive = self.objects.images.get(&key).map(|image| image.info.clone());
        alive.or_else(|| {
            self.entries.iter().filter(|e| e.device == self.key).find_map(|e| match &e.call {
                Call::Image(made, info) if *made == key => Some((**info).clone()),
                _ => None,
            })
        })
    }
}
