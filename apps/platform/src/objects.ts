import { readConfig, type Config } from './core/config.ts'
import { openFolderObjects } from './core/objects/folder-objects.ts'
import { copyMissing, type MoveProgress } from './core/objects/move-objects.ts'
import type { ObjectStore } from './core/objects/object-store.ts'
import { objectsFolder, openObjects } from './core/objects/open-objects.ts'
import { loadEnvironment } from './core/settings/load-environment.ts'
import { StartupError } from './core/startup-error.ts'

const help = `Packages and images of Grove, in the data folder or in an S3 bucket.

  npm run objects -- move --to s3       copies from the data folder to the bucket of OBJECTS_URL
  npm run objects -- move --to folder   copies from that bucket to the data folder

Copies while the server runs, compares every byte with its hash and deletes nothing. Run it again
after it was stopped: it continues where it left off.`

const nextSteps = {
  s3: 'start the server with OBJECTS_URL',
  folder: 'start the server without OBJECTS_URL',
}

async function main(args: readonly string[]): Promise<void> {
  const [command, option, target] = args
  const isMove = command === 'move' && option === '--to' && args.length === 3
  if (!isMove || (target !== 's3' && target !== 'folder')) return console.log(help)
  const config = readConfig(loadEnvironment(process.cwd()))
  if (!config.objects)
    throw new StartupError('Set OBJECTS_URL to the bucket, also to copy from it to the folder.')
  await move(config, target)
}

async function move(config: Config, target: keyof typeof nextSteps): Promise<void> {
  const folder = await openFolderObjects(objectsFolder(config.dataFolder))
  const bucket = await openObjects(config)
  const [from, to] = target === 's3' ? [folder, bucket] : [bucket, folder]
  const { copied, seen } = await copyAll(from, to)
  console.log(
    copied === 0
      ? `All ${seen} files are in both places. If no server runs that writes to the old one, ${nextSteps[target]}.`
      : `${copied} files were copied, ${seen} are in both places. Stop the server, run this again, then ${nextSteps[target]}.`,
  )
}

/** Until a pass finds nothing to copy: a running server may store more meanwhile. */
async function copyAll(from: ObjectStore, to: ObjectStore) {
  let copied = 0
  for (;;) {
    const round = await copyMissing(from, to, showProgress())
    copied += round.copied
    if (round.copied === 0) return { copied, seen: round.seen }
  }
}

const showEveryMs = 1000

function showProgress(): (progress: MoveProgress) => void {
  let shownAt = performance.now()
  return ({ seen, copied, bytes }) => {
    if (performance.now() - shownAt < showEveryMs) return
    shownAt = performance.now()
    console.log(`${seen} looked at, ${copied} copied, ${(bytes / 1_000_000).toFixed(1)} MB`)
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof StartupError ? error.message : error)
  process.exitCode = 1
})
