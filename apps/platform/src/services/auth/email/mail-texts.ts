import type { LocaleCode as Locale } from '@grove/contract/locale.rules'

/** The words of one mail; `{name}` is replaced, a paragraph that is a link alone becomes one. */
interface MailText {
  subject: string
  paragraphs: readonly string[]
}

export type MailKind = 'validate' | 'reset' | 'passwordChanged'

/**
 * Nothing in them is a stranger's words: a name given at sign-up would let anyone send a text of
 * theirs to any address in our name.
 */
export const mailTexts: Record<Locale, Record<MailKind, MailText>> = {
  'en-US': {
    validate: {
      subject: 'Confirm your email address for Grove',
      paragraphs: [
        'There is a Grove account with the address {email}, and the address is not confirmed yet. If the account is yours, confirm it here:',
        '{link}',
        'The link works once and ends on {time}. Only the newest one works.',
        'The request came from the network {network}.',
        'If the account is not yours, do not use the link: it would confirm somebody else’s account with your address.',
      ],
    },
    reset: {
      subject: 'Choose a new password for Grove',
      paragraphs: [
        'Somebody asked for a new password for the Grove account with the address {email}. If it was you, choose one here:',
        '{link}',
        'The link works once and ends on {time}. Only the newest one works. A new password ends every session of the account.',
        'The request came from the network {network}.',
        'If it was not you, there is nothing to do: the password stays as it is. Pass the link on to nobody.',
      ],
    },
    passwordChanged: {
      subject: 'Your Grove password was changed',
      paragraphs: [
        'The password of the Grove account with the address {email} was changed on {time}, from the network {network}.',
        'If it was you, there is nothing to do.',
        'If it was not you, choose a new password at once, which ends every session of the account; then look at the linked identities on its account page. Begin at “Forgotten your password?” on the sign-in page.',
        '{link}',
      ],
    },
  },
  'ru-RU': {
    validate: {
      subject: 'Подтвердите адрес электронной почты для Grove',
      paragraphs: [
        'Есть учётная запись Grove с адресом {email}, и этот адрес ещё не подтверждён. Если она ваша, подтвердите его здесь:',
        '{link}',
        'Ссылка действует один раз, до {time}. Действует только самая новая.',
        'Запрос пришёл из сети {network}.',
        'Если учётная запись не ваша, не пользуйтесь ссылкой: она подтвердит чужую учётную запись с вашим адресом.',
      ],
    },
    reset: {
      subject: 'Выберите новый пароль для Grove',
      paragraphs: [
        'Кто-то запросил новый пароль для учётной записи Grove с адресом {email}. Если это были вы, выберите его здесь:',
        '{link}',
        'Ссылка действует один раз, до {time}. Действует только самая новая. Новый пароль завершает все сеансы учётной записи.',
        'Запрос пришёл из сети {network}.',
        'Если это были не вы, делать ничего не нужно: пароль останется прежним. Никому не передавайте ссылку.',
      ],
    },
    passwordChanged: {
      subject: 'Пароль Grove изменён',
      paragraphs: [
        'Пароль учётной записи Grove с адресом {email} изменён {time} из сети {network}.',
        'Если это были вы, делать ничего не нужно.',
        'Если это были не вы, сразу выберите новый пароль: это завершит все сеансы учётной записи. Затем проверьте привязанные учётные записи на её странице. Начните с «Забыли пароль?» на странице входа.',
        '{link}',
      ],
    },
  },
}
