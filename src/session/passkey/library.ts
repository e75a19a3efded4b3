// Loaded by those who sign in: its parsers of certificates would make each start of an isolate slower. The bundle has nothing else of it.
export { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
