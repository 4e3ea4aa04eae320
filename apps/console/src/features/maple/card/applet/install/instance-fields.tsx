import type { Applet } from '@grove/contract/maple/card/applet'
import type { AppletInstance } from '@grove/contract/maple/card/applet-operation'
import { maxParametersLength } from '@grove/contract/maple/card/applet-operation.rules'
import { overTheCard, privilegeNames, type PrivilegeName } from '@grove/secure-element/privileges'
import { Trans, useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import { Field } from '../../../../../ui/field/field.tsx'
import { CheckList } from '../../../../../ui/text/check-list.tsx'
import { termLabels } from '../../../base/decode/term.labels.ts'
import styles from './install.module.css'

/** One instance as typed. */
export interface InstanceDraft {
  moduleAid: string
  name: string
  isWanted: boolean
  instanceAid: string
  parameters: string
  privileges: PrivilegeName[]
  volatile: string
  nonVolatile: string
  isSelectable: boolean
}

export const draftsOf = ({ applets }: Pick<Applet, 'applets'>): InstanceDraft[] =>
  applets.map(({ aid, name }) => ({
    moduleAid: aid,
    name: name ?? aid,
    isWanted: true,
    instanceAid: aid,
    parameters: '',
    privileges: [],
    volatile: '',
    nonVolatile: '',
    isSelectable: true,
  }))

export const plain = (hex: string) => hex.replaceAll(/[\s:]/g, '')
export const isAid = (hex: string) => /^([0-9A-Fa-f]{2}){5,16}$/.test(plain(hex))
const isParameters = (hex: string) =>
  /^([0-9A-Fa-f]{2})*$/.test(plain(hex)) && plain(hex).length <= maxParametersLength * 2
const isSize = (text: string) => /^\d{0,9}$/.test(text)

export const isValid = (draft: InstanceDraft): boolean =>
  !draft.isWanted ||
  (isAid(draft.instanceAid) &&
    isParameters(draft.parameters) &&
    isSize(draft.volatile) &&
    isSize(draft.nonVolatile))

export const instancesOf = (drafts: readonly InstanceDraft[]): AppletInstance[] =>
  drafts
    .filter(({ isWanted }) => isWanted)
    .map(({ moduleAid, instanceAid, parameters, privileges, volatile, nonVolatile, ...rest }) => ({
      moduleAid,
      instanceAid: plain(instanceAid),
      isSelectable: rest.isSelectable,
      ...(parameters !== '' && { parameters: plain(parameters) }),
      ...(privileges.length > 0 && { privileges }),
      ...(volatile !== '' && { volatile: Number(volatile) }),
      ...(nonVolatile !== '' && { nonVolatile: Number(nonVolatile) }),
    }))

/** Privileges over the whole card that one of the instances gets. */
export const cardPrivilegesOf = (drafts: readonly InstanceDraft[]): PrivilegeName[] =>
  privilegeNames.filter(
    (name) =>
      overTheCard.has(name) &&
      drafts.some(({ isWanted, privileges }) => isWanted && privileges.includes(name)),
  )

interface InstanceFieldsProps {
  draft: InstanceDraft
  onChange: (change: Partial<InstanceDraft>) => void
}

/** How an applet is installed: its AID, its parameters and its privileges. */
export function InstanceFields({ draft, onChange }: InstanceFieldsProps) {
  const { t, i18n } = useLingui()
  const bytes = t`Up to ${maxParametersLength} bytes as hex, such as C0FFEE`
  return (
    <fieldset>
      <legend>{draft.name}</legend>
      <label className={styles.flag}>
        <input
          type="checkbox"
          checked={draft.isWanted}
          onChange={({ target }) => onChange({ isWanted: target.checked })}
        />
        <Trans>Install this applet</Trans>
      </label>
      {draft.isWanted && (
        <>
          <Field
            label={t`AID of the instance`}
            hint={t`What a terminal selects. 5 to 16 bytes as hex.`}
            value={draft.instanceAid}
            error={isAid(draft.instanceAid) ? undefined : t`Enter 5 to 16 bytes as hex.`}
            onChange={({ target }) => onChange({ instanceAid: target.value })}
          />
          <Field
            label={t`Parameters`}
            hint={t`Parameters passed to the applet once, at installation (C9). ${bytes}.`}
            value={draft.parameters}
            error={isParameters(draft.parameters) ? undefined : bytes}
            onChange={({ target }) => onChange({ parameters: target.value })}
          />
          <details>
            <summary>
              <Trans>Privileges and memory</Trans>
            </summary>
            <div className={styles.more}>
              <p className="muted">
                <Trans>
                  Most applets need no privileges. Only one application on a card can have some of
                  them: if another one has it already, the card refuses.
                </Trans>
              </p>
              <div>
                <div className={styles.privileges}>
                  <CheckList
                    label={t`Privileges`}
                    options={privilegeNames.map((name) => ({
                      value: name,
                      label: capitalised(i18n._(termLabels[`privilege.${name}`]), i18n.locale),
                    }))}
                    selected={draft.privileges}
                    onChange={(selected) => onChange({ privileges: selected as PrivilegeName[] })}
                  />
                </div>
                <div aria-live="polite">
                  <PowerNotice privileges={cardPrivilegesOf([draft])} />
                </div>
              </div>
              <div className={styles.quotas}>
                <Field
                  label={t`Memory for data, in bytes`}
                  hint={t`Reserved for it (C8).`}
                  inputMode="numeric"
                  value={draft.nonVolatile}
                  error={isSize(draft.nonVolatile) ? undefined : t`Enter a whole number.`}
                  onChange={({ target }) => onChange({ nonVolatile: target.value })}
                />
                <Field
                  label={t`Volatile memory, in bytes`}
                  hint={t`Lost without power (C7).`}
                  inputMode="numeric"
                  value={draft.volatile}
                  error={isSize(draft.volatile) ? undefined : t`Enter a whole number.`}
                  onChange={({ target }) => onChange({ volatile: target.value })}
                />
              </div>
              <label className={styles.flag}>
                <input
                  type="checkbox"
                  checked={draft.isSelectable}
                  onChange={({ target }) => onChange({ isSelectable: target.checked })}
                />
                <Trans>Make it selectable immediately</Trans>
              </label>
            </div>
          </details>
        </>
      )}
    </fieldset>
  )
}

const capitalised = (text: string, locale: string) =>
  text.charAt(0).toLocaleUpperCase(locale) + text.slice(1)

/** Which of the chosen privileges affect the whole card, and what they require. */
function PowerNotice({ privileges }: { privileges: readonly PrivilegeName[] }) {
  const { i18n } = useLingui()
  if (privileges.length === 0) return null
  const names = privileges.map((name) => i18n._(termLabels[`privilege.${name}`])).join(', ')
  return (
    <div className={styles.power}>
      <TriangleAlert size={16} aria-hidden />
      <div>
        <p>
          <strong>
            <Trans>The applet gets control of the whole card.</Trans>
          </strong>
        </p>
        <p>
          <Trans>
            The element gets it with these privileges: {names}. A faulty applet could make the card
            unusable.
          </Trans>
        </p>
        <p>
          <Trans>
            To install it, you need the right “Change keys, the HSM and security domains”.
          </Trans>
        </p>
      </div>
    </div>
  )
}
