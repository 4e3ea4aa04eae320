import { openDatabase } from '../../../../../core/database/database.ts'
import type { MapleTables } from '../../../base/tables.ts'
import { bulkJob } from '../device-bulk-job.ts'

// Runs one bulk change, and reports its progress after each batch.
const [url = '', id = '', createdAt = ''] = process.argv.slice(2)
const { db } = await openDatabase({ url, folder: '' })
await bulkJob.run(
  { db: db.withTables<MapleTables>(), now: Date.now },
  { id },
  {
    id,
    attempt: 1,
    createdAt,
    signal: new AbortController().signal,
    progress: (done) => console.log(done),
  },
)
