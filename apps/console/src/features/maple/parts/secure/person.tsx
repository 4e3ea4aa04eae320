import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { useRouteContext } from '@tanstack/react-router'
import { tooltip } from '../../../../ui/kit/tooltip.ts'
import { CopyButton } from '../../../../ui/text/copy-button.tsx'
import { personQuery } from './person.api.ts'

interface PersonProps {
  /** Null: nobody, so the platform did it by itself. */
  id: string | null
  /** Where there is room for a button, an id that is cut can be copied. */
  isCopyable?: boolean
}

// Where people are not ours, ids are no UUIDs, and a search by one finds nobody.
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
const namesLastMs = 5 * 60_000

/** A person: by name for administrators, who alone may look names up, and by the id for others. */
export function Person({ id, isCopyable = false }: PersonProps) {
  const { t } = useLingui()
  const { viewer } = useRouteContext({ from: '/_app/dashboard' })
  const isKnown = id !== null && id !== viewer.userId && viewer.isAdmin && uuid.test(id)
  const { data } = useQuery({
    ...personQuery(id ?? ''),
    enabled: isKnown,
    staleTime: namesLastMs,
    retry: false,
  })
  if (id === null) return <span className="muted">{t`the platform`}</span>
  if (id === viewer.userId) return t({ message: 'you', context: 'who holds a session' })
  if (id.startsWith('key:')) return <span {...tooltip(id)}>{t`API key ${id.slice(4, 12)}`}</span>
  const person = isKnown ? data?.items.find((each) => each.id === id) : undefined
  const name = person?.name ?? person?.email
  if (name) return <bdi {...tooltip(person?.email ?? id)}>{name}</bdi>
  return (
    <>
      <code {...tooltip(id)}>{id.slice(0, 8)}</code>
      {isCopyable && <CopyButton value={id} label={t`Copy the id`} />}
    </>
  )
}
