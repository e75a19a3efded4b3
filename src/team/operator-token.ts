const TOKEN_LENGTH_MIN = 32

interface OperatorSecret {
  OPERATOR_TOKEN?: string
}

export function checkOperatorToken({ OPERATOR_TOKEN }: OperatorSecret): void {
  if (OPERATOR_TOKEN !== undefined && OPERATOR_TOKEN.length < TOKEN_LENGTH_MIN)
    throw new Error(`the secret OPERATOR_TOKEN must have at least ${TOKEN_LENGTH_MIN} characters, or not be set`)
}
