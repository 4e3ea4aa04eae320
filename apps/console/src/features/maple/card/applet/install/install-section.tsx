import type { Applet } from '@grove/contract/maple/card/applet'
import type { AppletPreflight } from '@grove/contract/maple/card/applet-operation'
import type { OperationKind } from '@grove/contract/maple/card/applet-operation.rules'
import { chipNumber } from '@grove/secure-element/cplc'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Play, SearchCheck } from 'lucide-react'
import { useState } from 'react'
import { confirm } from '../../../../../ui/dialog/confirm.tsx'
import { Field } from '../../../../../ui/field/field.tsx'
import { SelectField } from '../../../../../ui/field/select-field.tsx'
import type { ComboboxOption } from '../../../../../ui/kit/combobox-options.ts'
import { Section } from '../../../../../ui/page/section.tsx'
import { useTypedDraft } from '../../../../../ui/form/use-typed-draft.ts'
import { useWork } from '../../../../../ui/toast/use-work.ts'
import { preflight, refreshOperations, startOperation, type Choice } from '../applet.api.ts'
import { useOperationWords } from '../applet.labels.tsx'
import { ElementChoice } from '../../element-choice/element-choice.tsx'
import { useHandedElements } from '../../element-choice/handed-elements.ts'
import { termLabels } from '../../../base/decode/term.labels.ts'
import { DelegationFields, domainOf, isDelegationValid, ofIssuer } from './delegation-fields.tsx'
import {
  cardPrivilegesOf,
  draftsOf,
  InstanceFields,
  instancesOf,
  isValid,
} from './instance-fields.tsx'
import styles from './install.module.css'
import { operationsId } from './operations-section.tsx'
import { PreflightView } from './preflight-view.tsx'

interface InstallSectionProps {
  applet: Applet
  /** The CPLC of an element to preselect. */
  element?: string | undefined
}

/** Chooses elements, shows what they would refuse, and starts the operation. */
export function InstallSection({ applet, element }: InstallSectionProps) {
  const { t, i18n } = useLingui()
  const { kinds } = useOperationWords()
  const [kind, setKind] = useState<OperationKind>(
    applet.rights.install === null ? 'install' : 'uninstall',
  )
  const handed = useHandedElements()
  const [chosen, setChosen] = useState<ComboboxOption[]>(() =>
    element === undefined
      ? [...handed]
      : [{ id: element, label: chipNumber(element), note: element }],
  )
  const [drafts, setDrafts] = useState(() => draftsOf(applet))
  const [dapDomainAid, setDapDomainAid] = useState('')
  const [delegation, setDelegation] = useState(ofIssuer)
  const [first] = useState({ kind, chosen, drafts, dapDomainAid, delegation })
  const draft = useTypedDraft(`install ${element ?? ''}`, {
    typed: { kind, chosen, drafts, dapDomainAid, delegation },
    first,
    restore: (typed) => {
      setKind(typed.kind)
      if (handed.length === 0) setChosen(typed.chosen)
      setDrafts(typed.drafts)
      setDapDomainAid(typed.dapDomainAid)
      setDelegation(typed.delegation)
    },
  })
  const [found, setFound] = useState<AppletPreflight[]>()
  const { isBusy, start: work } = useWork()
  const installs = kind === 'install' || kind === 'upgrade'
  const powers = installs ? cardPrivilegesOf(drafts) : []
  const choice: Choice = {
    kind,
    elements: chosen.map(({ id }) => id),
    instances: installs ? instancesOf(drafts) : undefined,
    dapDomainAid: dapDomainAid || undefined,
    domain: domainOf(delegation),
    tokens: delegation.tokens,
    grantsCardPrivileges: powers.length > 0,
  }
  const isReady =
    chosen.length > 0 && isDelegationValid(delegation) && (!installs || drafts.every(isValid))

  const check = () => work(async () => setFound((await preflight(applet.id, choice)).items))
  const start = () =>
    work(async () => {
      const { name } = applet
      const count = chosen.length
      const isAgreed =
        kind === 'install' ||
        kind === 'read' ||
        (await confirm({
          title: kind === 'upgrade' ? t`Upgrade ${name}?` : t`Uninstall ${name}?`,
          text: t`Its instances on ${plural(count, { one: '# element', other: '# elements' })} are deleted with all their data.`,
          action: kinds[kind],
          isDanger: true,
        }))
      if (!isAgreed) return
      const names = powers.map((each) => i18n._(termLabels[`privilege.${each}`])).join(', ')
      const hasPower =
        powers.length === 0 ||
        (await confirm({
          title: t`Let ${name} control the whole card?`,
          text: t`On ${plural(count, { one: '# element', other: '# elements' })}, it gets these privileges: ${names}. It can use them on its own at any time, and a faulty applet could make the card unusable.`,
          action: kinds[kind],
          isDanger: true,
          typeToConfirm: name,
        }))
      if (!hasPower) return
      await startOperation(applet.id, choice)
      draft.drop()
      setFound(undefined)
      await refreshOperations()
      // Its progress, which may be below the fold.
      document.getElementById(operationsId)?.scrollIntoView({ block: 'nearest' })
    })
  const change = (next: () => void) => {
    next()
    setFound(undefined)
  }
  return (
    <Section
      title={t`Install`}
      description={t`Each element has a session of its own, which you can watch command by command.`}
    >
      <div className={styles.form}>
        {applet.state !== 'released' && applet.rights.install === null && (
          <p className="muted">
            <Trans>Until the applet is released, it can be installed only on software cards.</Trans>
          </p>
        )}
        <SelectField
          label={t`What to do`}
          value={kind}
          words={kinds}
          onChange={(next) => change(() => setKind(next))}
        />
        <ElementChoice chosen={chosen} onChange={(next) => change(() => setChosen(next))} />
        {installs && (
          <div className={styles.instances}>
            {drafts.map((draft) => (
              <InstanceFields
                key={draft.moduleAid}
                draft={draft}
                onChange={(part) =>
                  change(() =>
                    setDrafts(drafts.map((each) => (each === draft ? { ...each, ...part } : each))),
                  )
                }
              />
            ))}
            {applet.signatures.length > 0 && (
              <Field
                label={t`Domain that verifies the signature`}
                hint={t`The AID of its security domain (DAP). Leave it empty to send no signature.`}
                value={dapDomainAid}
                onChange={({ target }) => setDapDomainAid(target.value)}
              />
            )}
          </div>
        )}
        <DelegationFields
          cplc={chosen[0]?.id}
          value={delegation}
          onChange={(next) => change(() => setDelegation(next))}
        />
        <div className="actions">
          <button
            type="button"
            className="button"
            aria-disabled={!isReady || isBusy}
            onClick={() => isReady && void check()}
          >
            <SearchCheck size={16} aria-hidden />
            <Trans>Check first</Trans>
          </button>
          <button
            type="button"
            className="button primary"
            aria-disabled={!isReady || isBusy}
            onClick={() => isReady && void start()}
          >
            <Play size={16} aria-hidden />
            {kinds[kind]}
          </button>
          {draft.isRestored && (
            <output className="muted">
              <Trans>Restored what you typed.</Trans>
            </output>
          )}
          {chosen.length === 0 ? (
            <span className="muted">
              <Trans>Add an element first.</Trans>
            </span>
          ) : (
            !isReady && (
              <span className="muted">
                <Trans>Correct the fields above first.</Trans>
              </span>
            )
          )}
        </div>
        <div aria-live="polite">
          {found && <PreflightView kind={kind} items={found} chosen={chosen} />}
        </div>
      </div>
    </Section>
  )
}
