import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
const neededBytes = 6e9

/**
 * Makes this process and its children put temporary files in memory if there is room: each test
 * database has a thousand files, which a disk takes ten times as long to create.
 */
export function keepTemporaryFilesInMemory() {
  if (!existsSync(memory)) return
  const { bavail, bsize } = statfsSync(memory)
  if (bavail * bsize > neededBytes && canRunPrograms(memory)) process.env.TMPDIR = memory
}

/** Containers often mount it with noexec, and tests run programs that they have installed. */
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
