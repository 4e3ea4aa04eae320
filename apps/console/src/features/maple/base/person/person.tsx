import { useLingui } from '@lingui/react/macro'
import { tooltip } from '../../../../ui/kit/tooltip.ts'
import { CopyButton } from '../../../../ui/text/copy-button.tsx'
import { usePeople } from './use-people.ts'

interface PersonProps {
  /** Null: nobody, so the platform did it by itself. */
  id: string | null
  /** Where there is room for a button, an id that is cut can be copied. */
  isCopyable?: boolean
}

/** A person: by name for administrators, who alone may look names up, and by the id for others. */
export function Person({ id, isCopyable = false }: PersonProps) {
  const { t } = useLingui()
  const { nameOf, emailOf, isViewer } = usePeople(id === null ? [] : [id])
  if (id === null) return <span className="muted">{t`the platform`}</span>
  if (isViewer(id)) return t({ message: 'you', context: 'who holds a session' })
  if (id.startsWith('key:')) return <span {...tooltip(id)}>{t`API key ${id.slice(4, 12)}`}</span>
  const name = nameOf(id)
  if (name !== undefined) return <bdi {...tooltip(emailOf(id) ?? id)}>{name}</bdi>
  return (
    <>
      <code {...tooltip(id)}>{id.slice(0, 8)}</code>
      {isCopyable && <CopyButton value={id} label={t`Copy the ID`} />}
    </>
  )
}
