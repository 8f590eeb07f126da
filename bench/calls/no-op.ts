// No-op: a phase that changes nothing.

import { callFunction } from '../../adapters/index.ts';
import type { prepare } from '../operation.ts';

export default callFunction<typeof prepare>(() => null);
