import { useLingui, Trans } from '@lingui/react/macro'
import { plural } from '@lingui/core/macro'
import { Check, Pencil, Plus, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { confirm } from '../../../../../ui/dialog/confirm.tsx'
import { iconName } from '../../../../../ui/kit/tooltip.ts'
import { useKeptFocus } from '../../../../../ui/page/use-kept-focus.ts'
import { below, domainsOf, placed, without, withNew, type DomainDraft } from './domain-draft.ts'
import styles from './domain-editor.module.css'
import { DomainFields, isAid } from './domain-fields.tsx'
import { DomainLine } from './domain-tree.tsx'

interface DomainEditorProps {
  drafts: readonly DomainDraft[]
  /** The form has been submitted once. */
  isTried: boolean
  onChange: (drafts: DomainDraft[]) => void
}

/** A tree of security domains, to add, change and remove. */
export function DomainEditor({ drafts, isTried, onChange }: DomainEditorProps) {
  const { t } = useLingui()
  const [openKey, setOpenKey] = useState<number>()
  const part = useRef<HTMLDivElement>(null)
  useKeptFocus(part, drafts.length)
  const domains = domainsOf(drafts)
  const issuer = drafts.find(
    ({ parentKey, missingParent }) => parentKey === null && missingParent === null,
  )

  const add = (parentKey: number | null) => {
    const made = withNew(drafts, parentKey)
    setOpenKey(made.key)
    onChange(made.drafts)
  }
  const remove = async (domain: DomainDraft) => {
    const others = below(drafts, domain.key)
    const names = others.map(({ aid }) => aid).join(', ')
    const agreed =
      others.length === 0 ||
      (await confirm({
        title: t`Remove ${domain.aid} from the list?`,
        text: t`${plural(others.length, { one: 'The domain below it is removed as well', other: 'The # domains below it are removed as well' })}: ${names}. Nothing is sent yet.`,
        action: t`Remove`,
        isDanger: true,
      }))
    if (agreed) onChange(without(drafts, domain.key))
  }

  return (
    <div ref={part} className={styles.editor}>
      <ul aria-label={t`Domains`} tabIndex={-1} data-focus>
        {placed(drafts).map(({ domain, depth }) => {
          const { key, aid } = domain
          const isOpen = openKey === key
          const name = aid || t`the domain without an AID`
          const shown = domains[drafts.indexOf(domain)]
          return (
            <li key={key} style={{ marginInlineStart: `${Math.min(depth, maxDepth) * 20}px` }}>
              <div className={styles.line}>
                {shown && isAid(aid) ? (
                  <DomainLine domain={shown} />
                ) : (
                  <p className={aid === '' ? 'muted' : 'field-error'}>{aid || t`New domain`}</p>
                )}
                <div className={styles.buttons}>
                  <button
                    type="button"
                    className="button quiet icon small"
                    {...iconName(isOpen ? t`Close ${name}` : t`Edit ${name}`)}
                    aria-expanded={isOpen}
                    onClick={() => setOpenKey(isOpen ? undefined : key)}
                  >
                    {isOpen ? <Check size={14} aria-hidden /> : <Pencil size={14} aria-hidden />}
                  </button>
                  <button
                    type="button"
                    className="button quiet icon small"
                    {...iconName(t`Add a domain below ${name}`)}
                    onClick={() => add(key)}
                  >
                    <Plus size={14} aria-hidden />
                  </button>
                  <button
                    type="button"
                    className="button quiet icon small"
                    {...iconName(t`Remove ${name}`)}
                    onClick={() => void remove(domain)}
                  >
                    <Trash2 size={14} aria-hidden />
                  </button>
                </div>
              </div>
              {isOpen && (
                <DomainFields
                  drafts={drafts}
                  domain={domain}
                  isTried={isTried}
                  onChange={onChange}
                />
              )}
            </li>
          )
        })}
      </ul>
      {drafts.length === 0 && (
        <>
          <p className="muted">
            <Trans>No domains in the list.</Trans>
          </p>
          <button type="button" className="button" onClick={() => add(null)}>
            <Plus size={16} aria-hidden />
            <Trans>Add the issuer’s domain</Trans>
          </button>
        </>
      )}
      {issuer && (
        <button type="button" className="button" onClick={() => add(issuer.key)}>
          <Plus size={16} aria-hidden />
          <Trans>Add a domain</Trans>
        </button>
      )}
    </div>
  )
}

/** Deeper indentation would leave no room on a phone. */
const maxDepth = 5
