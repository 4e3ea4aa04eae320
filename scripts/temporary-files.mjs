import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
const neededBytes = 6e9

/**
 * Has this process and its children make their temporary files in memory, where there is room: the
 * databases of tests have a thousand files each, which a disk takes ten times as long to create.
 */
export function keepTemporaryFilesInMemory() {
  if (!existsSync(memory)) return
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize > neededBytes && canRunPrograms(memory)) process.env.TMPDIR = memory
}

/** Containers often mount it without that, and tests run programs that they have installed. */
function canRunPrograms(folder) {
  const own = mkdtempSync(join(folder, 'grove-'))
  try {
    const program = join(own, 'program')
    writeFileSync(program, '#!/bin/sh\n')
    chmodSync(program, 0o755)
    return spawnSync(program).status === 0
  } finally {
    rmSync(own, { recursive: true })
  }
}
