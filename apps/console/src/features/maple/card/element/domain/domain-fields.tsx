import { aidPattern } from '@grove/secure-element/aid'
import { statesOf } from '@grove/secure-element/life-cycle'
import { privilegeNames, type PrivilegeName } from '@grove/secure-element/privileges'
import { useLingui } from '@lingui/react/macro'
import { Field } from '../../../../../ui/field/field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import { termLabels } from '../../../base/decode/term.labels.ts'
import { below, changed, type DomainDraft } from './domain-draft.ts'
import styles from './domain-editor.module.css'
import { privilegeHints } from './privilege.labels.ts'

const aid = new RegExp(aidPattern)
export const isAid = (text: string): boolean => aid.test(text)

interface DomainFieldsProps {
  drafts: readonly DomainDraft[]
  domain: DomainDraft
  /** The form has been submitted once: from then on an empty AID is an error. */
  isTried: boolean
  onChange: (drafts: DomainDraft[]) => void
}

/** The editable fields of one domain. */
export function DomainFields({ drafts, domain, isTried, onChange }: DomainFieldsProps) {
  const { i18n, t } = useLingui()
  const { key, parentKey, privileges, state } = domain
  const isIssuer = parentKey === null && domain.missingParent === null
  const set = (change: Partial<DomainDraft>) => onChange(changed(drafts, key, change))
  const isTwice = drafts.some(
    (other) => other.key !== key && other.aid.toUpperCase() === domain.aid.toUpperCase(),
  )
  const under = new Set([domain, ...below(drafts, key)])
  const parents = drafts.filter((other) => !under.has(other))
  const grant = (name: PrivilegeName, isGranted: boolean) =>
    set({
      privileges: privilegeNames.filter((each) =>
        each === name ? isGranted : privileges.includes(each),
      ),
    })
  const isNew = domain.aid === '' && !isTried
  const format = t`Enter 5 to 16 bytes as hex.`
  const problem = isTwice ? t`Another domain has this AID.` : undefined
  return (
    <div className={styles.fields}>
      <Field
        label="AID"
        value={domain.aid}
        // One that was just added is not wrong yet.
        hint={isNew ? format : undefined}
        error={isNew || isAid(domain.aid) ? problem : format}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- it was added in order to be filled in
        autoFocus={domain.aid === ''}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={({ target }) => set({ aid: target.value.replaceAll(/\s/g, '').toUpperCase() })}
      />
      {!isIssuer && (
        <SelectField
          label={t`Parent`}
          value={parentKey === null ? '' : String(parentKey)}
          words={{
            ...(parentKey === null && { '': domain.missingParent ?? '' }),
            ...Object.fromEntries(parents.map((other) => [`${other.key}`, other.aid])),
          }}
          onChange={(value) =>
            set(value === '' ? {} : { parentKey: Number(value), missingParent: null })
          }
        />
      )}
      <SelectField
        label={t`State`}
        value={state}
        words={Object.fromEntries(
          [...new Set([...statesOf(isIssuer ? 'card' : 'securityDomain'), state])].map((each) => [
            each,
            i18n._(termLabels[`state.${each}`]),
          ]),
        )}
        onChange={(next) => set({ state: next })}
      />
      <fieldset className={`choice ${styles.privileges}`}>
        <legend>{t`Privileges`}</legend>
        {privilegeNames
          .filter((name) => name !== 'securityDomain')
          .map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={privileges.includes(name)}
                onChange={({ target }) => grant(name, target.checked)}
              />
              <span>
                {capitalised(i18n._(termLabels[`privilege.${name}`]), i18n.locale)}
                <small>{i18n._(privilegeHints[name])}</small>
              </span>
            </label>
          ))}
      </fieldset>
    </div>
  )
}

const capitalised = (text: string, locale: string) =>
  text.charAt(0).toLocaleUpperCase(locale) + text.slice(1)
