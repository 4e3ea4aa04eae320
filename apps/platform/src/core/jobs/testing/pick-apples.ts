import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '../../database/database.ts'
import { migrate } from '../../database/migrate.ts'
import { orchard, startOrchard } from './orchard.ts'

// Runs jobs on the database at the given URL or folder, and prints each one.
const [url, folder] = process.argv.slice(2)
const { db } = await openDatabase({ url: url === '' ? undefined : url, folder: String(folder) })
await migrate(db, [orchard])
startOrchard(db, {
  pollMs: 50,
  beatMs: 100,
  leaseMs: 1000,
  onRun: async (input) => {
    console.log(input)
    await wait(30)
  },
})
console.log('ready')
