import type { Approval } from '@grove/contract/maple/access/approval'
import type { ApprovalAction, ApprovalState } from '@grove/contract/maple/access/approval.rules'
import { icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { Fragment, type ReactNode } from 'react'
import { addMessages } from '../../../../ui/i18n/locale.ts'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { StateBadge, type StateKind } from '../../../../ui/text/state-badge.tsx'
import { AskedSteps } from './asked-steps.tsx'
import { commandText } from './command-text.ts'
import { CustodyConsequences } from '../custody-consequences.tsx'

const GrantedPrivileges = onDemand(async () => {
  const [file] = await Promise.all([import('./granted-privileges.tsx'), addMessages('decode')])
  return file.GrantedPrivileges
})

const stateKinds: Record<ApprovalState, StateKind> = {
  pending: 'waiting',
  approved: 'good',
  refused: 'bad',
  withdrawn: 'ended',
  expired: 'idle',
}

export function useApprovalWords() {
  const { t } = useLingui()
  const states: Record<ApprovalState, string> = {
    pending: t({ message: 'Waiting', context: 'state of a request' }),
    approved: t({ message: 'Approved', context: 'state of a request' }),
    refused: t({ message: 'Refused', context: 'state of a request' }),
    withdrawn: t({ message: 'Withdrawn', context: 'state of a request' }),
    expired: t({ message: 'Expired', context: 'state of a request' }),
  }
  return { states, options: Object.entries(states).map(([value, label]) => ({ value, label })) }
}

export function ApprovalStateBadge({ state }: Pick<Approval, 'state'>) {
  const { states } = useApprovalWords()
  return <StateBadge kind={stateKinds[state]} text={states[state]} />
}

type Asked = Pick<Approval, 'action' | 'input'>

/** What was requested, in a few words. */
export function useAskedText() {
  const { t } = useLingui()
  return ({ action, input }: Asked): string => {
    const texts: Record<ApprovalAction, string> = {
      'card.sign': t`Sign for cards: ${input.name ?? ''}`,
      'element.hsm':
        input.enable === false ? t`Keep the keys in software` : t`Keep the keys in an HSM`,
      'element.terminate': t`Terminate the card permanently`,
      'key.export': t`Export the keys of version ${input.name ?? ''}`,
      'rollout.start':
        input.name === undefined ? t`Start a rollout` : t`Start the rollout “${input.name}”`,
      'token.sign': t`Sign commands with the card’s key for tokens`,
    }
    return texts[action]
  }
}

/** Which cards, if the request names them. */
function Cards({ cplcs = [], elements = 0 }: Approval['input']) {
  return (
    <>
      {cplcs.map((cplc) => (
        <Fragment key={cplc}>
          {' '}
          <code>{icSerial(cplc)}</code>
        </Fragment>
      ))}
      {cplcs.length > 0 && elements > cplcs.length && ' …'}
    </>
  )
}

/** What is installed, where it deviates from the package: the approver vouches for it. */
function Instances({ instances = [] }: Approval['input']) {
  return instances.map(({ aid, parameters = '', privileges = [] }) => (
    <li key={aid}>
      <Trans>
        Instance <code>{aid}</code>
      </Trans>
      {parameters !== '' && (
        <>
          {', '}
          <Trans>
            parameters <code>{parameters}</code>
          </Trans>
        </>
      )}
      {privileges.length > 0 && (
        <>
          {', '}
          <Trans>
            privileges: <GrantedPrivileges names={privileges} />
          </Trans>
        </>
      )}
    </li>
  ))
}

/** On behalf of which security domain Grove signs, if it does. */
function SignedFor({ domain }: Approval['input']) {
  return (
    domain !== undefined && (
      <li>
        <Trans>
          Grove signs each command with the card’s key for tokens, in the name of the security
          domain <code>{domain}</code>.
        </Trans>
      </li>
    )
  )
}

/** What happens after approval, as the items of a list. */
export function Consequences({ action, input }: Asked) {
  const { t } = useLingui()
  const kinds = {
    install: t`The applet is installed on cards.`,
    upgrade: t`The applet is upgraded on cards, and its data there is lost.`,
    uninstall: t`The applet is removed from cards with its data.`,
  }
  const items: Record<ApprovalAction, ReactNode> = {
    'card.sign': (
      <>
        <li>
          {input.template === undefined ? (
            kinds[input.kind ?? 'install']
          ) : input.version === undefined ? (
            <Trans>The steps of the template run on cards.</Trans>
          ) : (
            <Trans>The steps of version {input.version} of the template run on cards.</Trans>
          )}
        </li>
        <AskedSteps {...input} />
        <li>
          <Trans>Number of cards: {input.elements}. The operation starts immediately.</Trans>
          <Cards {...input} />
        </li>
        <Instances {...input} />
        <SignedFor {...input} />
      </>
    ),
    'element.hsm': <CustodyConsequences isIntoHsm={input.enable !== false} />,
    'element.terminate': (
      <>
        <li>
          <Trans>This cannot be undone by anybody, its maker included.</Trans>
        </li>
        <li>
          <Trans>Its applets, its keys and its domains can never be used again.</Trans>
        </li>
      </>
    ),
    'key.export': (
      <>
        <li>
          <Trans>
            The keys leave Grove under a transport key with the check value{' '}
            <code>{input.checkValue}</code>. Whoever has that key can open them. Compare the check
            value with the receiver’s.
          </Trans>
        </li>
        <li>
          {input.wrapping === 'TR-31' ? (
            <Trans>They are wrapped in TR-31 key blocks, which HSMs read.</Trans>
          ) : (
            <Trans>They are wrapped with AES-KWP, which another Grove reads.</Trans>
          )}
        </li>
        <li>
          <Trans>Only the person who asked for them can read them, for seven days.</Trans>
        </li>
        <li>
          <Trans>The keys stay in Grove and on the card.</Trans>
        </li>
      </>
    ),
    'rollout.start': (
      <>
        <li>
          <Trans>The rollout starts immediately, or at its scheduled time.</Trans>
        </li>
        <li>
          <Trans>Review its program, devices and groups first.</Trans>
        </li>
        <SignedFor {...input} />
      </>
    ),
    'token.sign': (
      <>
        <li>
          <Trans>
            Whoever has a security domain with delegated management on the card can send these
            commands to it, now or later:
          </Trans>
        </li>
        {input.commands?.map((command) => (
          <li key={command}>
            {commandText(command)} <code>{command}</code>
          </li>
        ))}
      </>
    ),
  }
  return items[action]
}
