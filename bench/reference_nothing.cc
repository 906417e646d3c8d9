// The least a process can cost.
int main() { return 0; }
