import { useEffect } from 'react'
import { withTexts } from '../ui/i18n/locale.ts'
import { loadable, useLoadable } from '../ui/kit/loadable.ts'
import type { PersonProps } from './person-name.tsx'

// Names arrive after the page that shows them, and so does the component that shows them.
const part = loadable(
  withTexts(() => import('./person-name.tsx').then((module) => module.PersonName)),
)

/** A person's name, as `PersonName` shows it; until that has loaded, the beginning of the ID. */
export function Person(props: PersonProps) {
  const state = useLoadable(part)
  useEffect(() => part.prefetch(), [])
  if (state.status === 'ready') return <state.Component {...props} />
  return <code>{props.id?.slice(0, 8)}</code>
}
