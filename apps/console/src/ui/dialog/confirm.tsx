import { useSyncExternalStore, type ReactNode } from 'react'
import { onDemand, usePrefetch } from '../kit/on-demand.tsx'

export interface ConfirmOptions {
  title: ReactNode
  text?: ReactNode
  /** The label of the button, a verb such as "Delete". */
  action: string
  cancel?: string
  isDanger?: boolean
  /** The reader must type this to enable the button. */
  typeToConfirm?: string
  /** Where the focus goes if the element that was pressed is gone (`Dialog`). */
  focusAfter?: () => HTMLElement | null
}

export interface Question extends ConfirmOptions {
  id: number
  answer: (agreed: boolean) => void
}

const ConfirmDialog = onDemand(() =>
  import('./confirm-dialog.tsx').then((module) => module.ConfirmDialog),
)

let question: Question | undefined
let lastId = 0
const listeners = new Set<() => void>()

const ask = (next: Question | undefined) => {
  question = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Asks once and returns true if the reader agrees. A second question answers the first with no. */
export function confirm(options: ConfirmOptions): Promise<boolean> {
  question?.answer(false)
  return new Promise((resolve) => {
    const answer = (agreed: boolean) => {
      ask(undefined)
      resolve(agreed)
    }
    lastId += 1
    ask({ ...options, id: lastId, answer })
  })
}

/** Renders the question of `confirm`; mounted once, by the shell. */
export function ConfirmHost() {
  usePrefetch(ConfirmDialog)
  const current = useSyncExternalStore(subscribe, () => question)
  return current && <ConfirmDialog key={current.id} {...current} />
}
