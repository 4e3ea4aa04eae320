import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Mail } from './mailer.ts'

/** A stored mail: `<id>.eml` for mail programs, `<id>.json` for the page that lists them. */
export interface KeptMail extends Mail {
  id: string
  from: string
  sentAt: string
}

/** Older ones are deleted: the folder is for looking at recent mails, not an archive. */
export const maxMails = 500

// A time and a UUID, so that sorting by name sorts by time; nothing in it can escape the folder.
const idPattern = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f-]{36}$/

export const mailFolderOf = (dataFolder: string): string => join(dataFolder, 'mail')

export async function keepMail(
  folder: string,
  mail: Mail & { from: string },
  message: Buffer | NodeJS.ReadableStream,
): Promise<void> {
  const sentAt = new Date().toISOString()
  const id = `${sentAt.replaceAll(':', '-')}-${randomUUID()}`
  const kept: KeptMail = { ...mail, id, sentAt }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, `${id}.eml`), message, { mode: 0o600 })
  // A reader of the folder never sees half a mail.
  const draft = join(folder, `${id}.draft`)
  await writeFile(draft, JSON.stringify(kept), { mode: 0o600 })
  await rename(draft, join(folder, `${id}.json`))
  await deleteMails(folder, (await mailIds(folder)).slice(maxMails))
}

/** Newest first. */
export async function listMails(folder: string): Promise<KeptMail[]> {
  const ids = (await mailIds(folder)).slice(0, maxMails)
  const mails = await Promise.all(ids.map((id) => readMail(folder, id)))
  return mails.filter((mail) => mail !== undefined)
}

/** Undefined if there is none with this ID, whatever the ID is. */
export async function readMail(folder: string, id: string): Promise<KeptMail | undefined> {
  const text = await readKept(folder, id, 'json')
  return text && (JSON.parse(text.toString('utf8')) as KeptMail)
}

/** The mail as it would have been sent. */
export const readMessage = (folder: string, id: string): Promise<Buffer | undefined> =>
  readKept(folder, id, 'eml')

export const deleteAllMails = async (folder: string): Promise<void> =>
  deleteMails(folder, await mailIds(folder))

async function readKept(folder: string, id: string, ending: 'json' | 'eml') {
  if (!idPattern.test(id)) return undefined
  return readFile(join(folder, `${id}.${ending}`)).catch(undefinedWhenAbsent)
}

async function mailIds(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(undefinedWhenAbsent)) ?? []
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter((id) => idPattern.test(id))
    .toSorted()
    .toReversed()
}

async function deleteMails(folder: string, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    for (const ending of ['json', 'eml']) await rm(join(folder, `${id}.${ending}`), { force: true })
}

function undefinedWhenAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
