import { sql } from 'kysely'
import { getData, getStatus } from '@grove/secure-element/host/commands'
import { openDatabase } from '../../../../../core/database/database.ts'
import { processActor } from '../../../../../core/actor.ts'
import type { SessionContext } from '../../context.ts'
import { openKeys } from '../../key/open-keys.ts'
import { openReaderHub } from '../../reader/reader-hub.ts'
import { readSettings } from '../../../base/settings.ts'
import type { MapleTables } from '../../../base/tables.ts'
import { openSession } from '../open-session.ts'
import { virtualTransport } from '../transport/virtual.ts'
import { openSessionHub } from '../session-hub.ts'

// A process with a session whose last command never gets its reply: it waits to be killed.
const [url = '', folder = '', cplc = '', form = 'single'] = process.argv.slice(2)
const database = await openDatabase({ url: url === '' ? undefined : url, folder })
const db = database.db.withTables<MapleTables>()
const context: SessionContext = {
  db,
  now: Date.now,
  keys: openKeys(readSettings({}, { dataFolder: folder })),
  readers: openReaderHub(),
  transports: [virtualTransport],
  sessionSecret: '',
  sessions: openSessionHub(
    { db, now: Date.now },
    { isAlone: url === '', settings: { leaseMs: 500 } },
  ),
}
const session = await openSession(context, processActor('test'), { cplc, purpose: 'program' })
await session.select()
await session.send(getData({ tag: '9F7F' }))
await sql`update maple.software_card set faults = '{"delay": 100000}', version = version + 1
  where cplc = ${cplc}`.execute(db)
const commands = [getStatus({ subset: 'issuer' })]
if (form === 'batch') commands.push(getData({ tag: '0066' }), getData({ tag: '00CF' }))
const sent =
  form === 'batch'
    ? session.sendBatch(commands.map((command) => ({ commands: [command] })))
    : session.send(getStatus({ subset: 'issuer' }))
sent.catch(() => {})
for (;;) {
  const { rows } = await sql<{ seq: number | null }>`
    select (flight ->> 'seq')::int as seq from maple.session_lease`.execute(db)
  if (rows[0]?.seq === 3) break
}
console.log(session.id)
