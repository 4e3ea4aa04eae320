import { useLingui } from '@lingui/react/macro'
import { Link } from '../ui/link/link.tsx'
import { tooltip } from '../ui/kit/tooltip.ts'
import { CopyButton } from '../ui/text/copy-button.tsx'
import { usePeople } from './use-people.ts'

export interface PersonProps {
  /** Null: nobody; the platform did it automatically. */
  id: string | null
  /** Links to the person. */
  isLinked?: boolean
  /** Where there is room for a button that copies the ID; the name links to the person. */
  isCopyable?: boolean
  /** By email instead of name, where that identifies the account holder. */
  isByEmail?: boolean
}

/** A person: by name for administrators, who may look names up, and by ID for others. */
export function PersonName({ id, isByEmail = false, ...props }: PersonProps) {
  const { t } = useLingui()
  const { isCopyable = false, isLinked = isCopyable } = props
  const asked = { isWithViewer: isByEmail }
  const { nameOf, emailOf, isFormer, isViewer } = usePeople(id === null ? [] : [id], asked)
  if (id === null) return <span className="muted">{t`the platform`}</span>
  if (id.startsWith('key:')) return <span {...tooltip(id)}>{t`Key ${id.slice(4, 12)}`}</span>
  const copy = isCopyable && <CopyButton value={id} label={t`Copy the ID`} />
  if (isViewer(id) && !isByEmail)
    return (
      <>
        {t({ message: 'you', context: 'who holds a session' })}
        {copy}
      </>
    )
  const email = emailOf(id)
  const name = (isByEmail ? email : undefined) ?? nameOf(id)
  if (name === undefined)
    return (
      <>
        {isFormer(id) && <span className="muted">{t`Former user`} </span>}
        <code {...tooltip(id)}>{id.slice(0, 8)}</code>
        {copy}
      </>
    )
  const rest = [email !== name && email, id].filter(Boolean).join(' · ')
  if (!isLinked) return <bdi {...tooltip(rest)}>{name}</bdi>
  return (
    <>
      <Link
        to="/dashboard/cedar/account/people/$userId"
        params={{ userId: id }}
        preload={false}
        {...tooltip(rest)}
      >
        <bdi>{name}</bdi>
      </Link>
      {copy}
    </>
  )
}
