// Films: the tile at each place of each frame, drawn pixel by pixel, so that every frame is exactly the recorded one.

async function unpacked(id) {
  const text = atob(byId(id).textContent);
  byId(id).remove();
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Film {
  // tiles: RGB bytes, tile by tile. changes: each frame's numbers of tiles, XOR those of the frame before.
  constructor({ width, height, columns, rows, first }, side, tiles, changes) {
    Object.assign(this, { width, height, columns, rows, first, side, places: columns * rows });
    this.tiles = new Uint32Array(tiles.length / 3);
    for (let i = 0, p = 0; i < this.tiles.length; i++, p += 3)
      this.tiles[i] = (0xff000000 | (tiles[p + 2] << 16) | (tiles[p + 1] << 8) | tiles[p]) >>> 0;
    this.numbers = new Uint32Array(changes.buffer);
    for (let i = this.places; i < this.numbers.length; i++) this.numbers[i] ^= this.numbers[i - this.places];
    this.image = new ImageData(columns * side, rows * side);
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  // Draws the frame of a step; nothing before the film begins.
  draw(canvas, index) {
    if (canvas.width !== this.width || canvas.height !== this.height) Object.assign(canvas, { width: this.width, height: this.height });
    const context = canvas.getContext("2d");
    if (index < this.first) return context.clearRect(0, 0, this.width, this.height);
    const { columns, side, tiles, pixels } = this;
    const area = side * side, width = columns * side;
    for (let place = 0, n = (index - this.first) * this.places; place < this.places; place++, n++) {
      let from = this.numbers[n] * area;
      let to = Math.floor(place / columns) * side * width + (place % columns) * side;
      for (let y = 0; y < side; y++, to += width - side) for (let x = 0; x < side; x++) pixels[to++] = tiles[from++];
    }
    context.putImageData(this.image, 0, 0);
  }
}

// The films of an episode, each unpacked when it is first needed: a page may hold one for each of many seats.
class Films {
  constructor({ films, tile }) {
    Object.assign(this, { films, tile, opened: new Map() });
  }

  // A film by name; null if there is none.
  async named(name) {
    if (!(name in this.films)) return null;
    if (!this.opened.has(name)) this.opened.set(name, Promise.all([unpacked(`film-${name}-tiles`), unpacked(`film-${name}-changes`)]).then(([tiles, changes]) => new Film(this.films[name], this.tile, tiles, changes)));
    return this.opened.get(name);
  }
}
