import { useEffect } from 'react'
import { withTexts } from '../ui/i18n/locale.ts'
import { loadable, useLoadable } from '../ui/kit/loadable.ts'
import type { PersonProps } from './person-name.tsx'

// Names come after the page that shows them, and so does what shows them.
const part = loadable(
  withTexts(() => import('./person-name.tsx').then((module) => module.PersonName)),
)

/** A person by name, as `PersonName` has it; until that is here, the beginning of the id. */
export function Person(props: PersonProps) {
  const state = useLoadable(part)
  useEffect(() => part.prefetch(), [])
  if (state.status === 'ready') return <state.Component {...props} />
  return <code>{props.id?.slice(0, 8)}</code>
}
