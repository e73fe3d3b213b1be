//! Images, swapchains and pipelines, with what their short forms leave out.

use ash::vk;

use super::lex::Lexed;
use super::parse::{Parser, Template, object};
use super::row::{Done, from_bad};
use super::{format, objects, pipelines};
use crate::call::*;

impl<'a> Parser<'a> {
    pub fn image(&mut self, line: &'a Lexed) -> Done {
        let mut info = ImageInfo::default();
        let new = object(line, &mut self.scene, Kind::Image, |r| objects::image(r, &mut info))?;
        let key = ImageKey(new.key);
        let failed = new.failed.is_some();
        let own = if info.before { None } else { info.memory.take() };
        self.scene.images.insert(key, info.clone());
        let size = format::image_bytes(&info);
        let transient = info.usage.contains(vk::ImageUsageFlags::TRANSIENT_ATTACHMENT);
        self.push(line, Call::Image(key, Box::new(info)), new);
        let Some(kind) = own.filter(|_| !failed) else {
            return Ok(());
        };
        let memory = MemoryKey(self.scene.fresh(Kind::Memory));
        let external = kind == MemoryKind::External;
        self.scene.make(Call::Memory(memory, MemoryInfo { size, kind, external }), None);
        let allowed = match (self.scene.implicit, kind) {
            (false, _) => 0,
            (true, MemoryKind::Host) => 0b011,
            (true, MemoryKind::Lazy) => 0b101,
            (true, _) => 1 | u32::from(transient) << 2,
        };
        let info = BindInfo { memory, offset: 0, size: 0, allowed_types: allowed };
        self.scene.make(Call::Bind(key, info), None);
        self.take_made();
        Ok(())
    }

    pub fn swapchain(&mut self, line: &'a Lexed) -> Done {
        let mut info = SwapchainInfo {
            format: vk::Format::UNDEFINED,
            extent: vk::Extent2D::default(),
            layers: 1,
            usage: vk::ImageUsageFlags::COLOR_ATTACHMENT,
            mode: vk::PresentModeKHR::FIFO,
            transform: vk::SurfaceTransformFlagsKHR::IDENTITY,
            current_transform: Some(vk::SurfaceTransformFlagsKHR::IDENTITY),
            images: Vec::new(),
        };
        let mut count = 3;
        let new = object(line, &mut self.scene, Kind::Swapchain, |r| {
            objects::swapchain(r, &mut info, &mut count)
        })?;
        if count == 0 || count > 64 {
            return Err(line.error(line.column, "a swapchain has 1 to 64 images"));
        }
        let key = SwapchainKey(new.key);
        let ident = line.words().next().map(|t| t.value.clone()).unwrap_or_default();
        if new.failed.is_none() {
            self.chain_images(line, key, &ident, &mut info, count)?;
        }
        self.push(line, Call::Swapchain(key, Box::new(info)), new);
        Ok(())
    }

    fn chain_images(
        &mut self,
        line: &Lexed,
        key: SwapchainKey,
        ident: &str,
        info: &mut SwapchainInfo,
        count: u32,
    ) -> Done {
        let image = ImageInfo {
            format: info.format,
            extent: info.extent.into(),
            usage: info.usage,
            layers: info.layers,
            origin: ImageOrigin::Swapchain,
            ..ImageInfo::default()
        };
        for index in 0..count {
            let name = format!("{ident}.{index}");
            let declared = self.scene.declare(&name, Kind::Image);
            let image_key = ImageKey(declared.map_err(|bad| from_bad(line, line.column, bad))?);
            self.scene.images.insert(image_key, image.clone());
            info.images.push(image_key);
        }
        let acquires =
            |l: &&&Lexed| l.verb == "acquire" && l.words().next().is_some_and(|t| t.value == ident);
        let chain = super::scene::Chain {
            info: info.clone(),
            current: 0,
            acquired: false,
            explicit: self.lines[self.at..].iter().find(acquires).is_some(),
            semaphores: vec![None; count as usize],
        };
        self.scene.swapchains.insert(key, chain);
        Ok(())
    }

    pub fn pipeline(&mut self, line: &'a Lexed) -> Done {
        let mut info = PipelineInfo::default();
        let says = |key: &str| line.value(key).is_some();
        let new = object(line, &mut self.scene, Kind::Pipeline, |row| {
            pipelines::pipeline(row, &mut info)
        })?;
        if !says("layout") {
            info.layout = Some(self.scene.empty_layout());
        }
        let mut key = PipelineKey(new.key);
        let graphics = info.point == vk::PipelineBindPoint::GRAPHICS;
        let open = graphics && !says("pass") && !says("formats") && new.failed.is_none();
        if !open || !new.unknown.is_empty() {
            self.scene.pipelines.insert(key, info.clone());
            self.push(line, Call::Pipeline(key, Box::new(info)), new);
            return Ok(());
        }
        self.take_made();
        if let Some(token) = line.words().next() {
            key = self.scene.postpone(&token.value);
        }
        self.scene.pipelines.insert(key, info.clone());
        let device = self.scene.device;
        self.templates.retain(|t| (t.device, t.key) != (device, key));
        self.templates.push(Template {
            device,
            key,
            info,
            name: new.name,
            line: Line(line.line),
            says_samples: says("samples"),
            says_dynamic: says("dynamic") || says("viewport") || says("scissor"),
            made: false,
        });
        Ok(())
    }

    /// Pipelines that no draw uses are made as they are.
    pub fn finish_templates(&mut self) {
        while let Some((device, key)) = self.templates.first().map(|t| (t.device, t.key)) {
            self.scene.switch(device);
            self.finish_template(key);
        }
    }

    /// Where a pipeline of the current device stands among those made when they are used.
    pub fn template(&self, key: PipelineKey) -> Option<usize> {
        let wanted = (self.scene.device, key);
        self.templates.iter().position(|t| (t.device, t.key) == wanted)
    }

    /// Makes a pipeline that no draw uses.
    pub fn finish_template(&mut self, key: PipelineKey) {
        self.take_made();
        let Some(index) = self.template(key) else {
            return;
        };
        let template = self.templates.remove(index);
        if !template.made {
            let key = self.scene.own_key(template.key);
            let call = Call::Pipeline(key, Box::new(template.info));
            let mut entry = Entry::new(self.scene.device, call);
            entry.name = template.name;
            entry.line = template.line;
            self.entries.push(entry);
        }
    }
}
