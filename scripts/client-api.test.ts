import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { membersOf, readExports } from './client-api/read-exports.ts'

async function exportsOf(files: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'client-api-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return readExports(join(folder, 'index.ts'))
}

test('an export has its signature and its docstring, wherever it is declared', async () => {
  const exported = await exportsOf({
    'index.ts': `export { run, type Options } from './run.ts'`,
    'run.ts': `
      /** The options
       * of run. */
      export interface Options extends Base { a?: string; /** Nested. */ b: { /** Deep. */ c: 1 } }
      interface Base {}
      /** Runs. */
      export async function run(options: Options): Promise<void> { await options }
      export const hidden = 1`,
  })
  expect(exported).toMatchObject([
    { name: 'run', doc: 'Runs.', code: 'function run(options: Options): Promise<void>' },
    { name: 'Options', doc: 'The options of run.', bases: ['Base'] },
  ])
  expect(exported.flatMap(membersOf)).toEqual([
    { name: 'a?', type: 'string', doc: '', throws: [], example: '' },
    { name: 'b.c', type: '1', doc: 'Deep.', throws: [], example: '' },
  ])
})

test('a type is shown with the private ones that it needs', async () => {
  const [one] = await exportsOf({
    'index.ts': 'interface Kept {}\ninterface Other {}\nexport type State = Kept | null',
  })
  expect(one).toMatchObject({ doc: '', code: 'interface Kept {}\n\ntype State = Kept | null' })
})

test('a member has what it rejects with, and its example line by line', async () => {
  const [one] = await exportsOf({
    'index.ts': `
      export interface Client {
        /**
         * Reads
         * all.
         * @throws AuthError for
         * a refusal
         * @throws an abort
         * @example
         * if (client)
         *   await client.read()
         */
        read: () => Promise<void>
      }`,
  })
  expect(one && membersOf(one)).toEqual([
    {
      name: 'read',
      type: '() => Promise<void>',
      doc: 'Reads all.',
      throws: ['AuthError for a refusal', 'an abort'],
      example: 'if (client)\n  await client.read()',
    },
  ])
})
