import { sql } from 'kysely'
import { openDatabase } from '../database/database.ts'

// Inserts rows into the given folder, and prints each acknowledged one.
const [folder, first] = process.argv.slice(2)
const { db } = await openDatabase({ folder: String(folder) })
await sql`create table if not exists written (id int primary key, text text)`.execute(db)
const { rows } = await sql<{ id: number }>`select id from written`.execute(db)
console.log(JSON.stringify(rows.map((row) => row.id)))
for (let id = Number(first); ; id++) {
  await sql`insert into written values (${id}, repeat('x', ${(id * 37) % 3000}))`.execute(db)
  console.log(id)
}
