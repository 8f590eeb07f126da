// Golden: writes the golden store of the version in package.json, once, before it is released:
// `npm run golden`. The bytes of a released version are never written again (G5).

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { register } from 'tsx/esm/api';
import { isMain, root } from './lib/files.mjs';

/** @param {string[]} args */
async function main(args) {
  const { values } = parseArgs({ args, options: { again: { type: 'boolean', default: false } } });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const file = join(root, 'test/golden', version, 'store.db');
  if (existsSync(file) && !values.again) {
    console.error(`${file} is there. Of an unreleased version it may be written --again.`);
    return false;
  }
  rmSync(file, { force: true });
  register();
  const { writeGolden } = await import(pathToFileURL(join(root, 'test/golden/write.ts')).href);
  await writeGolden(file);
  console.log(`${file} is written`);
  return true;
}

if (isMain(import.meta.url)) process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
