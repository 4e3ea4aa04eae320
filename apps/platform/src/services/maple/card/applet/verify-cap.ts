import { readHex } from '@grove/secure-element/bytes'
import type { CapFile } from '@grove/secure-element/cap/cap-file'
import { newCard } from '@grove/secure-element/card/card-state'
import { softwareCard } from '@grove/secure-element/card/software-card'
import { CommandError } from '@grove/secure-element/host/command-error'
import { deleteObject, select } from '@grove/secure-element/host/commands'
import { installForInstall } from '@grove/secure-element/host/install'
import { loadPackage, run } from '@grove/secure-element/host/run'
import { exchange } from '@grove/secure-element/host/transport'
import { staticKeys } from '@grove/secure-element/secure-channel/key-source'
import { openSecureChannel } from '@grove/secure-element/secure-channel/open-channel'
import { ProblemError } from '../../../../core/http/problem.ts'

const testKey = readHex('404142434445464748494A4B4C4D4E4F')
const keys = staticKeys({ enc: testKey, mac: testKey, dek: testKey })
/** Room for the package and an instance of each applet. */
const memoryFor = ({ code }: CapFile) => code.length + 0x1_0000

/**
 * Loads a package on a fresh software card that has all its imports, installs each applet and deletes
 * everything again, which shows that a card can take it. Its code does not run.
 * @throws ProblemError `applet_refused`: what the card refused.
 */
export async function verifyCap(cap: CapFile): Promise<void> {
  const state = newCard({ seed: cap.aid, memory: memoryFor(cap) })
  const card = softwareCard({ ...state, packages: cap.imports })
  await exchange(card, select())
  const channel = await openSecureChannel(card, { keys, level: 0x33 })
  try {
    await loadPackage(channel, { loadFileAid: cap.aid, code: cap.code })
    for (const { aid } of cap.applets)
      await run(
        channel.send,
        installForInstall({ loadFileAid: cap.aid, moduleAid: aid, instanceAid: aid }),
      )
    await run(channel.send, deleteObject({ aid: cap.aid, withRelated: true }))
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw new ProblemError(
      'applet_refused',
      `A software card refused the package. ${error.message}.`,
      { cause: error },
    )
  }
}
