// Sample: a folder of real files to try the archive on: text, tables, pictures, a sound, an empty one.

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Makes the folder with 12 files of about 1.5 MB in all, the same each time. @returns how many files it made. */
export async function makeSampleFolder(folder: string): Promise<number> {
  const files = Object.entries(sampleFiles());
  for (const [path, content] of files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return files.length;
}

function sampleFiles(): Readonly<Record<string, string | Buffer>> {
  return {
    'README.txt': 'These files were made to be archived. Nothing is lost when they are deleted.\n',
    'empty.txt': '',
    'notes/todo.md': lines(
      40,
      (index) => `- [${index % 3 === 0 ? 'x' : ' '}] task number ${index}`,
    ),
    'notes/meeting 2026-03-01.txt': lines(400, (index) => `${index}. What was said, and by whom.`),
    'notes/überblick.txt': lines(200, (index) => `Abschnitt ${index}: kurz und bündig`),
    'data/measurements.csv': lines(
      8_000,
      (index) => `${index},${wave(index, 40)},${wave(index, 7)}`,
    ),
    'data/orders.json': JSON.stringify(
      Array.from({ length: 1_500 }, (_, index) => ({ order: index, items: (index * 7) % 5 })),
      undefined,
      1,
    ),
    'logs/server.log': lines(
      4_000,
      (index) => `INFO  request ${index} took ${(index * 37) % 91} ms`,
    ),
    'logs/server.1.log': lines(4_000, (index) => `WARN  retry ${index % 5} of request ${index}`),
    'photos/gradient.ppm': picture(320, 240, (x, y) => [x & 255, y & 255, (x + y) & 255]),
    'photos/checkers.ppm': picture(320, 240, (x, y) =>
      ((x >> 4) + (y >> 4)) % 2 === 0 ? [240, 240, 240] : [20, 20, 20],
    ),
    'music/tone.wav': tone(4),
  };
}

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `${line(index + 1)}\n`).join('');
}

function wave(index: number, period: number): string {
  return Math.sin((2 * Math.PI * index) / period).toFixed(4);
}

/** A picture in the portable pixmap format. */
function picture(
  width: number,
  height: number,
  pixel: (x: number, y: number) => readonly [number, number, number],
): Buffer {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) pixels.set(pixel(x, y), (y * width + x) * 3);
  }
  return Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), pixels]);
}

/** A sine of 440 Hz as a wave file: one channel, 16 bits, 22,050 samples a second. */
function tone(seconds: number): Buffer {
  const rate = 22_050;
  const data = Buffer.alloc(rate * seconds * 2);
  for (let index = 0; index < rate * seconds; index++) {
    data.writeInt16LE(Math.round(12_000 * Math.sin((2 * Math.PI * 440 * index) / rate)), index * 2);
  }
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}
