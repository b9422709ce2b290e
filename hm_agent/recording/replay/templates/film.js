// Frames: which patch is where, drawn pixel by pixel, so that every frame is exactly the recorded one.

async function unpacked(id) {
  const text = atob(byId(id).textContent);
  byId(id).remove();
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Film {
  // patches: RGB bytes, tile by tile. changes: each frame's numbers of patches, XOR those of the frame before.
  constructor({ columns, rows }, tile, patches, changes, canvas) {
    Object.assign(this, { columns, rows, tile, area: tile * tile, places: columns * rows });
    this.tiles = new Uint32Array(patches.length / 3);
    for (let i = 0, p = 0; i < this.tiles.length; i++, p += 3)
      this.tiles[i] = (0xff000000 | (patches[p + 2] << 16) | (patches[p + 1] << 8) | patches[p]) >>> 0;
    this.numbers = new Uint32Array(changes.buffer);
    for (let i = this.places; i < this.numbers.length; i++) this.numbers[i] ^= this.numbers[i - this.places];
    canvas.width = this.width = columns * tile;
    canvas.height = this.height = rows * tile;
    this.context = canvas.getContext("2d");
    this.image = this.context.createImageData(this.width, this.height);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  get frames() {
    return this.numbers.length / this.places;
  }

  show(frame) {
    const { columns, tile, area, tiles, pixels, width } = this;
    for (let place = 0, n = frame * this.places; place < this.places; place++, n++) {
      let from = this.numbers[n] * area;
      let to = Math.floor(place / columns) * tile * width + (place % columns) * tile;
      for (let y = 0; y < tile; y++, to += width - tile) for (let x = 0; x < tile; x++) pixels[to++] = tiles[from++];
    }
    this.context.putImageData(this.image, 0, 0);
  }
}
