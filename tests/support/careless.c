/* Copies the file FROM to the file TO as no program should: for the test of failing_calls_test.py.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void ignore(long long result) {
    (void)result;
}

int main(int count, char** words) {
    enum { SIZE = 4096 };
    if (count != 3) {
        return 2;
    }
    char* const block = malloc(SIZE);
    block[0] = 0; /* even where there is none */
    const int from = open(words[1], O_RDONLY);
    const int to = open("half", O_WRONLY | O_CREAT, 0666);
    const ssize_t size = read(from, block, SIZE);
    ignore(write(to, block, (size_t)size));
    ignore(close(to));
    if (rename("half", words[2]) != 0) {
        perror("cannot be renamed"); /* and stays where it is */
        return 3;
    }
    free(block);
    return 0;
}
