import { archive, archiveFile } from './archive/index.ts';
import { openTroupe } from '../hosts/embedded/index.ts';
const troupe = await openTroupe({ store: '/tmp/t1/t.db', machines: [archive, archiveFile] });
const a = await troupe.spawn(archive, { id: 'x', input: { folder: '/tmp/t1/orig', target: '/tmp/t1/packed', ledger: '/tmp/t1/ledger', paceMs: 20 } });
for await (const c of troupe.watch(a.address, { after: 0 })) {
  console.log(c.seq, c.kind, JSON.stringify(c.event).slice(0,150), JSON.stringify(c.state), c.status, JSON.stringify(c.effects).slice(0,100));
  if (c.state === 'deciding') await troupe.send(a.address, { type: 'APPROVE' }, { messageId: 'x' });
}
console.log(JSON.stringify((await troupe.get(a.address)), null, 1));
console.log(await troupe.list());
await troupe.close();
