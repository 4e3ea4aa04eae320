import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, mkdirSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { programArgs } from '../../apps/platform/src/core/testing/run-script.ts'

// What the tests of one run share on disk: their platform's data, a filled data folder to start
// further platforms from, and which developers are taken.

export const password = 'Grove2026!'

/** Password of accounts that a test signs up: that of the sample is refused. */
export const ownPassword = 'Meadow!2847'

/** Accounts that each belong to the test that takes them. */
export const developerEmails = Array.from({ length: 300 }, (_, at) => `developer-${at}@grove.test`)

/** The program that fills the template. */
export const fillTemplate = fileURLToPath(new URL('fill-template.ts', import.meta.url))
const runFolder = () => {
  const folder = process.env['GROVE_E2E_FOLDER']
  if (!folder) throw new Error('The set-up of the run has not made its folder.')
  return folder
}
const template = () => join(runFolder(), 'template')
const taken = () => join(runFolder(), 'taken')

/** The data folder of the shared platform. */
export const mainFolder = () => join(runFolder(), 'main')

/** Creates the filled data folder, once per run: a first start takes twice as long as a later one. */
export async function makeTemplate(): Promise<void> {
  await mkdir(taken(), { recursive: true })
  const child = spawn(process.execPath, programArgs(fillTemplate), {
    env: { ...process.env, NODE_OPTIONS: '', GROVE_DATA: template() },
    stdio: 'inherit',
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The sample data could not be made: ${String(code)}.`)
}

/** A data folder prefilled by a platform. */
export const copyTemplate = (folder: string): Promise<void> =>
  cp(template(), folder, { recursive: true, mode: constants.COPYFILE_FICLONE })

let next = 0

/** The email of an unused developer: not used by another test, nor by another attempt of this one. */
export function takeDeveloper(): string {
  for (; next < developerEmails.length; next += 1) {
    const email = developerEmails[next] ?? ''
    if (isNewFolder(join(taken(), email))) return email
  }
  throw new Error('Every developer is taken: let developerEmails have more.')
}

/** Creates a folder atomically across processes; false if there already is one. */
function isNewFolder(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
