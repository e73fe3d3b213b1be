#version 450
layout(location = 0) out vec4 color;
void main() {
    if (mod(gl_FragCoord.x, 2.0) < 1.0) discard;
    color = vec4(1.0);
}
