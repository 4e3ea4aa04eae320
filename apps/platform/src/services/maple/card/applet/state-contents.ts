import { encodeCommand, parseResponse } from '@grove/secure-element/apdu'
import type { CardState } from '@grove/secure-element/card/card-state'
import { softwareCard } from '@grove/secure-element/card/software-card'
import { getData } from '@grove/secure-element/host/commands'
import { lifeCycleState } from '@grove/secure-element/life-cycle'
import { freeMemoryOf, freeMemoryTag, type CardContents } from './card-contents.ts'

/** The contents of a software card without a session: Grove stores it. */
export async function contentsOfState(state: CardState): Promise<CardContents> {
  const card = softwareCard(state)
  const reply = await card.transmit(encodeCommand(getData({ tag: freeMemoryTag })))
  return {
    applications: state.applications.map(
      ({ aid, loadFileAid, moduleAid, lifeCycle, privileges }) => {
        const isDomain = privileges.includes('securityDomain')
        return {
          aid,
          loadFileAid,
          moduleAid,
          isDomain,
          state:
            lifeCycleState(isDomain ? 'securityDomain' : 'application', lifeCycle) ??
            lifeCycle.toString(16),
        }
      },
    ),
    loadFiles: state.loadFiles.map(({ aid, major, minor, modules }) => ({
      aid,
      version: `${major}.${minor}`,
      modules,
    })),
    freeMemory: freeMemoryOf(parseResponse(reply)),
  }
}
