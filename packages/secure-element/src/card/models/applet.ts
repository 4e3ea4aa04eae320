import type { Command, Response } from '../../apdu.ts'
import { applicationOf } from '../domains.ts'
import { refuse, words } from '../refusal.ts'
import type { CardContext } from '../volatile.ts'
import type { Applet } from './model.ts'
import { modelNamed } from './models.ts'

const maxReplyLength = 256

function appletOf(context: CardContext, aid: string): Applet {
  const { session, write } = context
  return {
    get data() {
      return applicationOf(context.state, aid)?.data ?? {}
    },
    session: session.applet,
    write: (change) =>
      write((next) => {
        const application = applicationOf(next, aid)
        if (application) change(application.data)
      }),
  }
}

export function runApplet(context: CardContext, command: Command): Response {
  const { state, session } = context
  const application = applicationOf(state, session.selected) ?? refuse('unknownInstruction')
  const model = modelNamed(application.model)
  const data = model.process(appletOf(context, application.aid), command)
  return { data: data.slice(0, maxReplyLength), statusWord: words.success }
}

/** STORE DATA for an application of the selected domain. */
export function personalize(context: CardContext, aid: string, data: Uint8Array): void {
  const application = applicationOf(context.state, aid) ?? refuse('missingReference')
  const model = modelNamed(application.model)
  if (!model.personalize) return refuse('notNow')
  model.personalize(appletOf(context, aid), data)
}
